import { z } from 'zod';
import { jsonObject } from '#core/text-fields.ts';
import { accountId, humanName, instant, ofProfile, strategyName, symbolName } from './fields.ts';
import { operation } from './operation.ts';
import { savedProfile } from './profiles.ts';

const json = z.record(z.string(), z.unknown());
const version = z.coerce.number().int().min(1).max(2_147_483_647);

export const listConfigHistory = operation({
  method: 'GET',
  path: '/profiles/:id/config-history',
  ...ofProfile,
  status: 200,
  summary: 'Configs of a profile, newest first',
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    before: version.optional(),
  }),
  response: z.object({
    versions: z.array(z.object({ version: z.number(), strategyName: z.string(), config: json, at: instant })),
  }),
});

export const restoreConfig = operation({
  method: 'POST',
  path: '/profiles/:id/config-history/:version/restore',
  ...ofProfile,
  status: 200,
  summary: 'Saves an earlier config again, checked like any other',
  audit: 'profile.restore-config',
  params: ofProfile.params.extend({ version }),
  response: savedProfile,
});

export const switchStrategy = operation({
  method: 'POST',
  path: '/profiles/:id/switch-strategy',
  ...ofProfile,
  status: 200,
  summary: 'Gives a disabled profile another strategy; overrides are cleared, positions stay',
  audit: 'profile.switch-strategy',
  locks: ['intents', 'profile'],
  body: z.strictObject({ strategyName, config: jsonObject.default({}) }),
  response: savedProfile,
});

export const cloneProfile = operation({
  method: 'POST',
  path: '/profiles/:id/clone',
  ...ofProfile,
  status: 201,
  summary: 'Copies a profile, disabled; onto another account with its coins',
  audit: 'profile.clone',
  locks: [],
  body: z.strictObject({ name: humanName, accountId: accountId.optional() }),
  response: savedProfile,
});

/** A profile as a file: its settings, without its history and its account. */
export const profileFile = z.strictObject({
  format: z.literal('tradewind-profile'),
  version: z.literal(1),
  name: humanName,
  strategyName,
  config: jsonObject,
  symbols: z
    .array(z.strictObject({ symbol: symbolName, overrideConfig: jsonObject.default({}) }))
    .max(500, 'holds more than 500 coins'),
});

export const exportProfile = operation({
  method: 'GET',
  path: '/profiles/:id/export',
  ...ofProfile,
  status: 200,
  summary: 'A profile as a file that can be imported elsewhere',
  response: profileFile,
});

export const importProfile = operation({
  method: 'POST',
  path: '/profiles/import',
  auth: 'session',
  status: 201,
  summary: 'Creates a disabled profile from a file, all of it or nothing',
  audit: 'profile.import',
  body: z.strictObject({ accountId, name: humanName.optional(), profile: profileFile }),
  maxBodyKiB: 512,
  response: savedProfile,
});
