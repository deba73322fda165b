import { z } from 'zod';

/** What became of live trading since a backtest was pinned; the worker writes it, the api shows it. */
export const driftReport = z.object({
  at: z.iso.datetime(),
  /** The pinned backtest, and since when live trading is held against it. */
  runId: z.string(),
  since: z.iso.datetime(),
  verdict: z.enum(['undecided', 'as-tested', 'worse']),
  tests: z.array(
    z.object({
      measure: z.enum(['win-rate', 'profit-factor', 'slippage']),
      /** Shares for a win rate, a plain number for a profit factor, hundredths of a percent for slippage. */
      tested: z.number().nullable(),
      live: z.number().nullable(),
      /** Closed positions, or orders for slippage. */
      samples: z.number(),
      /** Logarithm of the likelihood ratio; at or above `upper` it is worse than tested, at or below `lower` as tested. */
      evidence: z.number(),
      lower: z.number(),
      upper: z.number(),
      verdict: z.enum(['undecided', 'as-tested', 'worse']),
      sentence: z.string(),
    }),
  ),
});
export type DriftReport = z.output<typeof driftReport>;
