import { z } from 'zod';
import { GATE_BARS, gateBars } from '#core/research/live-gate.ts';
import { liveComparison } from '#core/research/live-comparison.ts';
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
  summary: 'Whether a recent backtest of exactly the current settings meets the thresholds; advice only',
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

export const readLiveComparison = operation({
  ...ofProfile,
  path: '/profiles/:id/live-comparison',
  method: 'GET',
  status: 200,
  summary: 'Live trading compared with the reference backtest and with a replay of the last day, made every night',
  response: z.object({
    pinnedRunId: z.string().nullable(),
    /** When the waiting or running comparison was requested; null when there is none. */
    requestedAt: instant.nullable(),
    /** Why the newest comparison failed. */
    error: z.string().nullable(),
    ...liveComparison.shape,
  }),
});

export const startLiveComparison = operation({
  ...ofProfile,
  path: '/profiles/:id/live-comparison',
  need: 'research',
  method: 'POST',
  status: 202,
  summary: 'Compares live trading with what was tested now, instead of at night',
  audit: 'live-comparison.start',
  response: z.object({ jobId: z.string() }),
});
