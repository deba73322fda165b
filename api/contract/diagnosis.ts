import { z } from 'zod';
import { instant, profileId } from './fields.ts';
import { operation } from './operation.ts';

const params = z.object({ id: profileId });

export const diagnosisReport = z.object({
  /** Blocked: nothing can be bought; waiting: something can, and the strategy or a limit says not now. */
  verdict: z.enum(['blocked', 'waiting']),
  headline: z.string(),
  steps: z.array(
    z.object({ id: z.string(), label: z.string(), status: z.enum(['ok', 'finding', 'unknown']), line: z.string() }),
  ),
  /** The last word about every coin: what it waits for, in the numbers of its last decision. */
  coins: z.array(z.object({ symbol: z.string(), blocked: z.boolean(), line: z.string(), at: instant.nullable() })),
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
  summary: 'Looks for what keeps a profile from trading, from what is known now',
  params,
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
