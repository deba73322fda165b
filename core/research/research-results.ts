import { z } from 'zod';

/* Results of sweeps and robustness reports. The worker stores them, the api shows them. */

const band = z.object({ p5: z.number(), p50: z.number(), p95: z.number() });

/** Robustness report: other orders of the same trades, small changes, and a search for look-ahead. */
const robustness = z.object({
  monteCarlo: z
    .object({
      shuffled: z.object({ drawdown: band }),
      resampled: z.object({ totalReturn: band, drawdown: band, lossShare: z.number() }),
    })
    .nullable(),
  variants: z.array(z.object({ change: z.string(), totalReturn: z.number(), drawdown: z.number() })),
  /** Neighbouring settings that are invalid, with the reason. They were not run. */
  refused: z.array(z.object({ change: z.string(), reason: z.string() })).default([]),
  foresight: z.object({ at: z.iso.datetime(), decided: z.string(), withoutFuture: z.string() }).nullable(),
  /** Decisions that were compared with the future hidden; null when they were not counted. */
  comparedDecisions: z.number().nullable().default(null),
});
export const storedRobustness = z.object({
  state: z.enum(['none', 'queued', 'done', 'failed']),
  error: z.string().nullable().default(null),
  coins: z.record(z.string(), robustness).default({}),
});

const numbers = z.object({
  totalReturn: z.number(),
  finalEquity: z.number(),
  drawdown: z.number(),
  sharpe: z.number().nullable(),
  sortino: z.number().nullable(),
  closedCycles: z.number(),
  net: z.number(),
  winRate: z.number().nullable(),
  profitFactor: z.number().nullable(),
  exposure: z.number(),
  fills: z.number(),
});
const row = numbers.extend({ set: z.number(), values: z.array(z.union([z.number(), z.string()])) });

const trades = z.number();
/** How much of the best set of a sweep is luck, or why that is unknown. */
const luck = z.discriminatedUnion('kind', [
  /** `chance`: how often luck alone gives a result this good after so many different trials; 1 - deflated Sharpe ratio. */
  z.object({ kind: z.literal('measured'), chance: z.number(), trials: z.number() }),
  z.object({ kind: z.literal('few-trades'), trades, needed: z.number() }),
  /** Below the minimum track record length; `needed` is null when no number of days is enough. */
  z.object({ kind: z.literal('short-record'), trades, days: z.number(), needed: z.number().nullable() }),
  /** Outside the domain of the formulas: a few days make up most of the result, or too few sets differ. */
  z.object({ kind: z.literal('irregular'), trades }),
  /** For sweeps computed by an earlier version. */
  z.object({ kind: z.literal('not-measured') }),
]);
export type Luck = z.output<typeof luck>;

/** Result of a sweep, best first. `values` are in the order of the request's settings. */
export const sweepResult = z.object({
  /** Paths of the settings, in the order of `values`. */
  knobs: z.array(z.string()).default([]),
  evaluated: z.number(),
  /** Sets that are no valid config of the strategy, with the problem of the first one. */
  refused: z.object({ count: z.number(), example: z.string().nullable() }).optional(),
  /** Sets that made money over the whole window. */
  profitable: z.number().optional(),
  trials: z.number(),
  rows: z.array(row),
  /** Why the candles are unsuitable for this strategy. */
  warnings: z.array(z.string()).default([]),
  luck: luck.default({ kind: 'not-measured' }),
  /** Probability of backtest overfitting (backtest/sweep/statistics.ts); null when luck is not measured, and for halving. */
  overfitting: z.number().nullable(),
  fingerprint: z.string(),
  /** Only for a walk-forward: each fold trained on the past and tried on what came next. */
  walkForward: z
    .object({
      /** Over all test windows in order: days that no choice has seen. */
      totalReturn: z.number(),
      folds: z.array(
        z.object({
          trainFrom: z.iso.datetime(),
          testFrom: z.iso.datetime(),
          testTo: z.iso.datetime(),
          best: row,
          outOfSample: numbers,
        }),
      ),
    })
    .optional(),
});
