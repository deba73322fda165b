import { z } from 'zod';
import { instant, profileId, symbolName } from './fields.ts';
import { operation } from './operation.ts';

const params = z.object({ id: profileId });

const check = z.object({
  id: z.string(),
  label: z.string(),
  /** Fail: nothing is bought while it stands. Warn: it does not stop a buy, or not for good. */
  status: z.enum(['ok', 'warn', 'fail', 'unknown']),
  /** What was found, and what to do where something is. */
  line: z.string(),
  /** What it was judged by. */
  evidence: z.array(z.object({ name: z.string(), value: z.string() })),
  /** What to change; null where nothing is to be changed. */
  setting: z
    .object({
      words: z.string(),
      /** Its place in the web app, such as /profiles/:id/config?edit=buy.candleLimit */
      place: z.string(),
      /** Dotted path in the config, or name of the limit; null for what is no field. */
      path: z.string().nullable(),
      value: z.string().nullable(),
    })
    .nullable(),
});
export type DiagnosisCheck = z.output<typeof check>;

export const diagnosisReport = z.object({
  /** Blocked: nothing can be bought; waiting: something can, and the strategy says not now; unknown: nobody can say. */
  verdict: z.enum(['blocked', 'waiting', 'unknown']),
  headline: z.string(),
  /** What concerns the whole profile, in the order in which it matters. */
  checks: z.array(check),
  /** Each coin with the worst of its checks in words; of more than 25 coins only the checks that are not ok are told. */
  coins: z.array(
    z.object({
      symbol: z.string(),
      status: z.enum(['ok', 'warn', 'fail', 'unknown']),
      line: z.string(),
      at: instant.nullable(),
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
  auth: 'session',
  status: 201,
  summary: 'Looks for what keeps a profile, or one of its coins, from trading, from what is known now',
  params,
  /** Left out: every coin of the profile. */
  query: z.strictObject({ symbol: symbolName.optional() }),
  response: run,
});

export const listDiagnoses = operation({
  method: 'GET',
  path: '/profiles/:id/diagnosis/runs',
  auth: 'session',
  status: 200,
  summary: 'The last 50 diagnoses of a profile, newest first',
  params,
  response: z.object({ runs: z.array(run) }),
});

export const readDiagnosis = operation({
  method: 'GET',
  path: '/profiles/:id/diagnosis/runs/:runId',
  auth: 'session',
  status: 200,
  summary: 'One diagnosis',
  params: params.extend({ runId: z.uuid() }),
  response: run,
});
