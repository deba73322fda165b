import { z } from 'zod';
import { CHANNEL_EVENT_NAMES, channelRules, NOTIFIER_NAMES } from '#core/installation/notify.ts';
import { instant, ofAccount, printable } from './fields.ts';
import { delivery, json, texts } from './notifiers.ts';
import { operation } from './operation.ts';
import { idSchema } from '#core/id-schema.ts';

const named = ofAccount.params.extend({ provider: z.enum(NOTIFIER_NAMES) });
const browserId = idSchema<string>();

/** Secrets are never returned: responses only say which are set. */
const notifier = z.object({
  provider: z.enum(NOTIFIER_NAMES),
  enabled: z.boolean(),
  settings: texts,
  secrets: z.record(z.string(), z.boolean()),
  rules: channelRules,
  updatedAt: instant,
});
const browser = z.object({
  id: browserId,
  label: z.string(),
  enabled: z.boolean(),
  rules: channelRules,
  updatedAt: instant,
});
const notifierPath = { ...ofAccount, path: '/accounts/:id/notifiers/:provider', params: named } as const;
const browserPath = {
  ...ofAccount,
  path: '/accounts/:id/browsers/:browserId',
  params: ofAccount.params.extend({ browserId }),
} as const;

export const listAccountNotifiers = operation({
  method: 'GET',
  path: '/accounts/:id/notifiers',
  ...ofAccount,
  status: 200,
  summary: 'Notifiers and browsers of an account, what each receives, and the results of the last messages',
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
    browsers: z.array(browser),
    events: z.array(
      z.object({ event: z.literal(CHANNEL_EVENT_NAMES), words: z.string(), usual: z.boolean(), urgent: z.boolean() }),
    ),
    deliveries: z.array(
      z.object({
        at: instant,
        event: z.string(),
        title: z.string(),
        channel: z.string(),
        error: z.string().nullable(),
      }),
    ),
  }),
});

export const saveAccountNotifier = operation({
  ...notifierPath,
  method: 'PUT',
  status: 200,
  summary: 'Sets up a notifier for all profiles of an account; an omitted or empty secret is unchanged',
  audit: 'notifier.save',
  locks: ['account'],
  body: z.strictObject({
    enabled: z.boolean().default(true),
    settings: texts.default({}),
    secrets: texts.default({}),
    rules: channelRules.prefault({}),
  }),
  response: notifier,
});

export const deleteAccountNotifier = operation({
  ...notifierPath,
  method: 'DELETE',
  status: 204,
  summary: 'Removes a notifier of an account with its secrets',
  audit: 'notifier.delete',
  locks: ['account'],
});

export const testAccountNotifier = operation({
  ...notifierPath,
  path: '/accounts/:id/notifiers/:provider/test',
  method: 'POST',
  status: 200,
  summary: 'Sends a test message to a notifier of an account and returns the answer of the receiver',
  audit: 'notifier.test',
  response: delivery,
});

export const preparePush = operation({
  method: 'POST',
  path: '/accounts/:id/browsers/key',
  ...ofAccount,
  status: 200,
  summary: 'The public key with which a browser subscribes; the key pair is made at first use',
  audit: 'push-key.create',
  response: z.object({ publicKey: z.string() }),
});

const base64url = (most: number) =>
  z
    .string()
    .regex(/^[\w-]+$/, 'is not base64url')
    .max(most);

export const addBrowser = operation({
  method: 'POST',
  path: '/accounts/:id/browsers',
  ...ofAccount,
  status: 200,
  summary: 'Sends the messages of an account to a browser; the same subscription again replaces the earlier one',
  audit: 'browser.save',
  locks: ['account'],
  body: z.strictObject({
    label: printable.min(1, 'is empty').max(80, 'is longer than 80 characters'),
    endpoint: z
      .string()
      .max(2000)
      .refine((text) => URL.canParse(text) && new URL(text).protocol === 'https:', 'is not an https address'),
    p256dh: base64url(100),
    auth: base64url(50),
    rules: channelRules.prefault({}),
  }),
  response: browser,
});

export const changeBrowser = operation({
  ...browserPath,
  method: 'PATCH',
  status: 200,
  summary: 'Changes which messages a browser receives',
  audit: 'browser.save',
  locks: ['account'],
  body: z.strictObject({ enabled: z.boolean().optional(), rules: channelRules.optional() }),
  response: browser,
});

export const deleteBrowser = operation({
  ...browserPath,
  method: 'DELETE',
  status: 204,
  summary: 'Sends no more messages to a browser',
  audit: 'browser.delete',
  locks: ['account'],
});

export const testBrowser = operation({
  ...browserPath,
  path: '/accounts/:id/browsers/:browserId/test',
  method: 'POST',
  status: 200,
  summary: 'Sends a test message to a browser and returns the answer of its push service',
  audit: 'browser.test',
  response: delivery,
});
