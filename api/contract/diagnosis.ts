import { z } from 'zod';
import { instantText } from '#core/text-fields.ts';
import { instant, ofProfile, symbolName } from './fields.ts';
import { operation } from './operation.ts';

const check = z.object({
  id: z.string(),
  label: z.string(),
  /** Fail: blocks all buys. Warn: does not block buys, or only for a while. */
  status: z.enum(['ok', 'warn', 'fail', 'unknown']),
  /** The finding, and what to do about it. */
  line: z.string(),
  /** Values that the check used. */
  evidence: z.array(z.object({ name: z.string(), value: z.string() })),
  /** The setting to change; null when no change helps. */
  setting: z
    .object({
      words: z.string(),
      /** Path in the web app, such as /profiles/:id/config?edit=buy.candleLimit */
      place: z.string(),
      /** Dotted path in the config, or name of the limit; null for a page without a field. */
      path: z.string().nullable(),
      value: z.string().nullable(),
    })
    .nullable(),
});
export type DiagnosisCheck = z.output<typeof check>;

export const diagnosisReport = z.object({
  /** Blocked: no buy is possible. Waiting: buys are possible and the strategy waits. Unknown: not enough data. */
  verdict: z.enum(['blocked', 'waiting', 'unknown']),
  headline: z.string(),
  /** Checks of the whole profile, in order of importance. */
  checks: z.array(check),
  /** Each coin with the sentence of its worst check. With more than 25 coins only checks that are not ok are listed. */
  coins: z.array(
    z.object({
      symbol: z.string(),
      status: z.enum(['ok', 'warn', 'fail', 'unknown']),
      line: z.string(),
      at: instantText.nullable(),
      checks: z.array(check),
    }),
  ),
});
export type DiagnosisReport = z.output<typeof diagnosisReport>;

const run = z.object({
  id: z.string(),
  status: z.enum(['queued', 'running', 'done', 'error']),
  report: diagnosisReport.nullable(),
  error: z.string().nullable(),
  startedAt: instant,
  finishedAt: instant.nullable(),
});

export const startDiagnosis = operation({
  method: 'POST',
  path: '/profiles/:id/diagnosis/runs',
  need: 'research',
  ...ofProfile,
  status: 201,
  summary: 'Finds what blocks a profile, or one of its coins, from trading, with the current data',
  audit: 'diagnosis.start',
  /** Default: every coin of the profile. */
  query: z.strictObject({ symbol: symbolName.optional() }),
  response: run,
});

export const readBlocks = operation({
  method: 'GET',
  path: '/profiles/:id/diagnosis',
  ...ofProfile,
  status: 200,
  summary: 'Finds what blocks a profile, or one of its coins, from trading now, and stores nothing',
  query: z.strictObject({ symbol: symbolName.optional() }),
  response: diagnosisReport,
});

export const listDiagnoses = operation({
  method: 'GET',
  path: '/profiles/:id/diagnosis/runs',
  ...ofProfile,
  status: 200,
  summary: 'The last 50 diagnoses of a profile, newest first',
  response: z.object({ runs: z.array(run) }),
});

export const readDiagnosis = operation({
  method: 'GET',
  path: '/profiles/:id/diagnosis/runs/:runId',
  ...ofProfile,
  status: 200,
  summary: 'One diagnosis',
  params: ofProfile.params.extend({ runId: z.uuid() }),
  response: run,
});
