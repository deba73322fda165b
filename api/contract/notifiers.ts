import { z } from 'zod';
import { NOTIFIER_NAMES, notifierRules } from '#core/installation/notify.ts';
import { OPS_NOTIFY } from '#core/installation/settings.ts';
import { instant, ofProfile, profileId } from './fields.ts';
import { operation } from './operation.ts';

const named = ofProfile.params.extend({ provider: z.enum(NOTIFIER_NAMES) });
export const texts = z.record(z.string().max(60), z.string().max(4000, 'is longer than 4000 characters'));
export const json = z.record(z.string(), z.unknown());

/** Secrets are never returned: responses only say which are set. */
const notifier = z.object({
  provider: z.enum(NOTIFIER_NAMES),
  enabled: z.boolean(),
  settings: texts,
  secrets: z.record(z.string(), z.boolean()),
  rules: notifierRules,
  updatedAt: instant,
});
export const delivery = z.object({ ok: z.boolean(), detail: z.string().nullable() });
const notifierPath = { ...ofProfile, path: '/profiles/:id/notifiers/:provider', params: named } as const;

export const listNotifiers = operation({
  method: 'GET',
  path: '/profiles/:id/notifiers',
  ...ofProfile,
  status: 200,
  summary: 'Every kind of notifier, its fields, and its settings in the profile',
  response: z.object({
    notifiers: z.array(
      z.object({
        provider: z.enum(NOTIFIER_NAMES),
        title: z.string(),
        settingsSchema: json,
        secretNames: z.array(z.string()),
        configured: notifier.nullable(),
      }),
    ),
    events: z.array(z.object({ event: z.string(), words: z.string(), usual: z.boolean() })),
  }),
});

export const readNotifier = operation({
  ...notifierPath,
  method: 'GET',
  status: 200,
  summary: 'One notifier of a profile, without its secrets',
  response: notifier,
});

export const saveNotifier = operation({
  ...notifierPath,
  method: 'PUT',
  status: 200,
  summary: 'Sets up a notifier; an omitted or empty secret is unchanged',
  audit: 'notifier.save',
  body: z.strictObject({
    enabled: z.boolean().default(true),
    settings: texts.default({}),
    secrets: texts.default({}),
    rules: notifierRules.prefault({}),
  }),
  response: notifier,
});

export const deleteNotifier = operation({
  ...notifierPath,
  method: 'DELETE',
  status: 204,
  summary: 'Removes a notifier with its secrets',
  audit: 'notifier.delete',
});

export const testNotifier = operation({
  ...notifierPath,
  path: '/profiles/:id/notifiers/:provider/test',
  method: 'POST',
  status: 200,
  summary: 'Sends a test message now and returns the answer of the receiver',
  audit: 'notifier.test',
  response: delivery,
});

export const readOpsNotify = operation({
  method: 'GET',
  path: '/ops-notify',
  auth: 'session',
  status: 200,
  summary: 'Which messages about accounts and the installation are sent',
  response: OPS_NOTIFY.schema,
});

export const changeOpsNotify = operation({
  method: 'PATCH',
  path: '/ops-notify',
  auth: 'session',
  status: 200,
  summary: 'Switches messages about accounts and the installation',
  audit: 'ops-notify.change',
  body: OPS_NOTIFY.schema.partial(),
  response: OPS_NOTIFY.schema,
});

export const testOpsNotify = operation({
  method: 'POST',
  path: '/ops-notify/test',
  auth: 'session',
  status: 200,
  summary: 'Sends a test message to every enabled notifier of every profile',
  audit: 'ops-notify.test',
  response: z.object({
    deliveries: z.array(delivery.extend({ profileId, provider: z.enum(NOTIFIER_NAMES) })),
  }),
});
