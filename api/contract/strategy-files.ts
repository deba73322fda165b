import { z } from 'zod';
import { strategyPreview } from '#core/research/strategy-preview.ts';
import { instant, ofAccount, profileId, symbolName } from './fields.ts';
import { operation } from './operation.ts';

const hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex');
const ofVersion = { params: z.strictObject({ hash }) };

const check = z.object({
  passed: z.boolean(),
  /** Why nothing could be checked. */
  refused: z.string().optional(),
  properties: z.array(z.object({ name: z.string(), passed: z.boolean(), sentence: z.string() })),
  remarks: z.array(z.string()),
  candles: z.number(),
  fills: z.number(),
  at: instant,
});

/** A version of a strategy file, named by the SHA-256 of its content. */
const version = z.object({
  hash,
  /** Name of the strategy as profiles store it: `my-rsi@<hash>`. */
  reference: z.string(),
  name: z.string(),
  title: z.string(),
  summary: z.string(),
  file: z.string(),
  /** The file of the folder has this content now. */
  present: z.boolean(),
  seenAt: instant,
  /** Time of a passed check by the present version of the check. */
  certifiedAt: instant.nullable(),
  /** Why the version may not buy; null when it may. */
  quarantine: z.string().nullable(),
  checkRequestedAt: instant.nullable(),
  check: check.nullable(),
  usedBy: z.array(z.object({ id: profileId, name: z.string(), enabled: z.boolean() })),
});

export const listStrategyFiles = operation({
  method: 'GET',
  path: '/strategy-files',
  auth: 'session',
  status: 200,
  summary: 'The files of the strategies folder, and every version that was seen, newest first',
  response: z.object({
    files: z.array(
      z.object({
        file: z.string(),
        hash,
        /** File, line and rule when the file cannot be used. */
        problem: z.string().nullable(),
        changedAt: instant,
      }),
    ),
    versions: z.array(version),
  }),
});

export const readStrategyVersion = operation({
  method: 'GET',
  path: '/strategy-versions/:hash',
  auth: 'session',
  status: 200,
  ...ofVersion,
  summary: 'One version of a strategy file with its source',
  response: version.extend({ source: z.string() }),
});

export const checkStrategyVersion = operation({
  method: 'POST',
  path: '/strategy-versions/:hash/check',
  auth: 'session',
  need: 'research',
  status: 202,
  ...ofVersion,
  summary: 'Requests a check of a version; its result appears in the version',
  audit: 'strategy.check',
  response: z.object({ jobId: z.string() }),
});

export const previewStrategyVersion = operation({
  method: 'POST',
  path: '/accounts/:id/strategy-previews',
  need: 'research',
  ...ofAccount,
  status: 202,
  summary: 'Runs a version of a strategy file with its default settings over the last 90 days of a coin',
  audit: 'strategy.preview',
  locks: [],
  body: z.strictObject({ hash, symbol: symbolName }),
  response: z.object({ jobId: z.string() }),
});

export const readStrategyPreview = operation({
  method: 'GET',
  path: '/accounts/:id/strategy-previews',
  ...ofAccount,
  status: 200,
  summary: 'Result of a version of a strategy file on a coin, once it was requested; kept for a week',
  query: z.strictObject({ hash, symbol: symbolName }),
  response: z.object({ preview: strategyPreview.nullable() }),
});
