import { z } from 'zod';
import { driftReport } from '#core/research/drift.ts';
import { GATE_BARS, gateBars } from '#core/research/live-gate.ts';
import { shadowReport } from '#core/research/shadow.ts';
import { instant, ofProfile } from './fields.ts';
import { operation } from './operation.ts';

/** Whether a backtest of exactly these settings clears the bars. It is advice: it never stops trading. */
export const liveGate = z.object({
  bars: gateBars,
  /** True once every coin has a run that clears every bar. */
  clear: z.boolean(),
  sentence: z.string(),
  /** One: the coin of the profile, or `basket` for several coins, which share a balance. */
  coins: z.array(
    z.object({
      symbol: z.string(),
      /** `old-backtest`: an earlier version ran it, without the metrics that the bars use. */
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
  ...ofProfile,
  method: 'GET',
  path: '/profiles/:id/gate',
  status: 200,
  summary: 'Whether a recent backtest of exactly the current settings clears the bars; advice only',
  response: liveGate,
});

export const changeLiveGate = operation({
  ...ofProfile,
  method: 'PATCH',
  path: '/profiles/:id/gate',
  status: 200,
  summary: 'Changes the given bars; null removes one',
  audit: 'live-gate.change',
  body: gateBars.partial(),
  response: liveGate,
});

export const readDrift = operation({
  ...ofProfile,
  method: 'GET',
  path: '/profiles/:id/drift',
  status: 200,
  summary:
    'Live results compared with the pinned backtest; null before the first comparison; a worker runs one every 15 minutes',
  response: z.object({ pinnedRunId: z.string().nullable(), report: driftReport.nullable() }),
});

export const readShadowReplay = operation({
  ...ofProfile,
  method: 'GET',
  path: '/profiles/:id/shadow-replay',
  status: 200,
  summary: 'Replay of the last day with the current settings, next to the actual trades',
  response: z.object({
    /** When the waiting or running replay was requested; null when there is none. */
    requestedAt: instant.nullable(),
    /** Why the newest replay ended without a report. */
    error: z.string().nullable(),
    report: shadowReport.nullable(),
  }),
});

export const startShadowReplay = operation({
  ...ofProfile,
  method: 'POST',
  path: '/profiles/:id/shadow-replay',
  status: 202,
  summary: 'Replays the last day now, instead of at night',
  audit: 'shadow-replay.start',
  response: z.object({ jobId: z.string() }),
});
