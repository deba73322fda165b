import { z } from 'zod';
import { driftReport } from '#core/research/drift.ts';
import { GATE_BARS, gateBars } from '#core/research/live-gate.ts';
import { shadowReport } from '#core/research/shadow.ts';
import { instant, profileId } from './fields.ts';
import { operation } from './operation.ts';

const params = z.object({ id: profileId });

/** Does a backtest of exactly these settings clear the bars? It advises: no answer of it stops trading. */
export const liveGate = z.object({
  bars: gateBars,
  /** True once every coin has a run that clears every bar. */
  clear: z.boolean(),
  sentence: z.string(),
  /** One: the coin of the profile, or `basket` for several coins, which share a balance. */
  coins: z.array(
    z.object({
      symbol: z.string(),
      /** `old-backtest`: an earlier version ran it, without what the bars are about. */
      verdict: z.enum(['clear', 'below-bars', 'no-backtest', 'old-backtest', 'config-not-parsable']),
      sentence: z.string(),
      runId: z.string().nullable(),
      finishedAt: instant.nullable(),
      checks: z.array(
        z.object({
          bar: z.enum(GATE_BARS),
          kind: z.enum(['least', 'most']),
          wanted: z.number(),
          value: z.number().nullable(),
          passed: z.boolean(),
        }),
      ),
    }),
  ),
});

export const readLiveGate = operation({
  method: 'GET',
  path: '/profiles/:id/gate',
  auth: 'session',
  status: 200,
  summary: 'Whether a recent backtest of exactly the present settings clears the bars; advice only',
  params,
  response: liveGate,
});

export const changeLiveGate = operation({
  method: 'PATCH',
  path: '/profiles/:id/gate',
  auth: 'session',
  status: 200,
  summary: 'Changes the bars that are named; null takes one away',
  params,
  body: gateBars.partial(),
  response: liveGate,
});

export const readDrift = operation({
  method: 'GET',
  path: '/profiles/:id/drift',
  auth: 'session',
  status: 200,
  summary: 'Live results held against the pinned backtest; null until a worker has looked, every quarter of an hour',
  params,
  response: z.object({ pinnedRunId: z.string().nullable(), report: driftReport.nullable() }),
});

export const readShadowReplay = operation({
  method: 'GET',
  path: '/profiles/:id/shadow-replay',
  auth: 'session',
  status: 200,
  summary: 'The last day replayed with the present settings, beside what was traded',
  params,
  response: z.object({
    /** Since when a replay waits or runs; null when none does. */
    requestedAt: instant.nullable(),
    /** Why the newest replay ended without a report. */
    error: z.string().nullable(),
    report: shadowReport.nullable(),
  }),
});

export const startShadowReplay = operation({
  method: 'POST',
  path: '/profiles/:id/shadow-replay',
  auth: 'session',
  status: 202,
  summary: 'Replays the last day now, instead of at night',
  params,
  response: z.object({ jobId: z.string() }),
});
