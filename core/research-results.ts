import { z } from 'zod';

/* What the worker stores of sweeps and examinations, and the api shows. */

const band = z.object({ p5: z.number(), p50: z.number(), p95: z.number() });

/** How much of a result is luck: other orders of the same trades, small changes, and a look for foresight. */
const robustness = z.object({
  monteCarlo: z
    .object({
      shuffled: z.object({ drawdown: band }),
      resampled: z.object({ totalReturn: band, drawdown: band, lossShare: z.number() }),
    })
    .nullable(),
  variants: z.array(z.object({ change: z.string(), totalReturn: z.number(), drawdown: z.number() })),
  foresight: z.object({ at: z.iso.datetime(), decided: z.string(), withoutFuture: z.string() }).nullable(),
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

/** What a sweep found, best first. `values` are in the order of the request's knobs. */
export const sweepResult = z.object({
  /** Paths of the knobs, in the order of `values`. */
  knobs: z.array(z.string()).default([]),
  evaluated: z.number(),
  /** Sets that are no config of the strategy, and why the first of them is none. */
  refused: z.object({ count: z.number(), example: z.string().nullable() }).optional(),
  trials: z.number(),
  rows: z.array(row),
  /** Chance that the skill of the best is real, and that picking the best overfits; 0 to 1. */
  deflatedSharpe: z.number().nullable(),
  overfitting: z.number().nullable(),
  fingerprint: z.string(),
  /** Only for a walk-forward: each fold trained on the past and tried on what came next. */
  walkForward: z
    .object({
      /** Of all tests, one after the other: days that no choice has seen. */
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
