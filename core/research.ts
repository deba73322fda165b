import { z } from 'zod';
import { INTERVALS } from './candle.ts';
import { readDecimal } from './decimal.ts';

/* What a backtest or a sweep was asked for, as the api takes it and the worker reads it back. */

const amount = z
  .string()
  .max(40)
  .refine((text) => (readDecimal(text) ?? 0n) > 0n, 'is not an amount above zero');
const bps = z
  .string()
  .refine(
    (text) => Number(text) >= 0 && Number(text) <= 1000 && readDecimal(text) !== undefined,
    'is not a number from 0 to 1000',
  );

/** The window, the candles and the money of a run. */
export const runTerms = z.strictObject({
  from: z.iso.datetime(),
  /** Up to the newest closed candle where it is absent. */
  to: z.iso.datetime().optional(),
  /** Candles that decide and fill; the strategy's own interval must be a multiple of it. */
  detailInterval: z.enum(INTERVALS).default('1m'),
  balance: amount.default('1000'),
  feeBps: bps.default('10'),
  slippageBps: bps.default('0'),
});

export const sweepTerms = z.strictObject({
  ...runTerms.shape,
  /** Such as ema.fast=5..50:5; ema.slow=60,100,200 */
  knobs: z.string().min(1).max(2000),
  search: z.enum(['grid', 'random', 'halving']).default('grid'),
  /** Sets drawn at random by `seed`; all of them for a grid, and for halving where it is absent. */
  count: z.int().min(1).max(100_000).optional(),
  seed: z.int().min(0).default(1),
  rank: z.enum(['return', 'sharpe', 'sortino', 'calmar', 'net']).default('sharpe'),
});

const place = { venue: z.enum(['live', 'testnet', 'demo', 'paper']) };
const coin = z.object({ symbol: z.string(), config: z.unknown() });
/** The stored requests: what was asked for, on which venue, and each coin with its merged config. */
export const runRequest = z.object({ ...runTerms.shape, ...place, coins: z.array(coin).min(1) });
export const sweepRequest = z.object({ ...sweepTerms.shape, ...place, coin });
export type RunRequest = z.output<typeof runRequest>;
export type SweepRequest = z.output<typeof sweepRequest>;

/** Sets that are drawn; undefined for all combinations. */
export const drawOf = ({ search, count, seed }: Pick<SweepRequest, 'search' | 'count' | 'seed'>) =>
  search === 'grid' || (search === 'halving' && count === undefined) ? undefined : { count: count ?? 1000, seed };

/** Sets of one unit of a sweep: minutes of work at most, and few enough that many workers have something to do. */
const SETS_A_UNIT = 64;

export const unitsOf = (sets: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(sets.length / SETS_A_UNIT) }, (_, i) =>
    sets.slice(i * SETS_A_UNIT, (i + 1) * SETS_A_UNIT),
  );
