import { z } from 'zod';
import { INTERVALS } from '#core/market/candle.ts';
import { readDecimal } from '#core/amount/decimal.ts';
import { idSchema } from '#core/id-schema.ts';
import type { ProfileId } from '#core/ids.ts';
import { readRiskLimits, RISK_SCOPES } from '#core/account/risk.ts';
import { instantText, positiveAmount } from '#core/text-fields.ts';

/* Requests of backtests and sweeps. The api parses them, the worker reads the stored ones. */

const bps = z
  .string()
  .max(40, { error: 'is longer than 40 characters', abort: true })
  .refine(
    (text) => Number(text) >= 0 && Number(text) <= 1000 && readDecimal(text) !== undefined,
    'is not a number from 0 to 1000',
  );

const volumePercent = z
  .string()
  .max(40, { error: 'is longer than 40 characters', abort: true })
  .refine(
    (text) => Number(text) >= 0 && Number(text) <= 100 && readDecimal(text) !== undefined,
    'is not a number from 0 to 100',
  );

/**
 * Trading costs of a run. The API, the web app and the command line share the names and the defaults. A flag is the name
 * with dashes: `--spread-bps` for `spreadBps`. 1 bps is 0.01 %.
 */
export const costTerms = z.strictObject({
  /** Taker fee. */
  feeBps: bps.default('10').describe('Taker fee in bps (0.01 %)'),
  makerFeeBps: bps.optional().describe('Maker fee in bps; default: the taker fee'),
  feeIn: z
    .enum(['received', 'other'])
    .default('received')
    .describe('received: fees reduce the received asset; other: fees are paid in a third asset, at their value'),
  slippageBps: bps.default('2').describe('Slippage of a market order in bps'),
  spreadBps: bps.default('2').describe('Spread in bps; a market order pays half of it'),
  volumePercent: volumePercent
    .default('5')
    .describe("Share of a candle's volume that orders may take; the rest of an order waits. 0: any amount"),
});
export type Costs = z.output<typeof costTerms>;

/** Window, candles, balance and costs of a run. */
export const runTerms = z.strictObject({
  from: instantText,
  /** Default: the end of the last full day (UTC), or now when `from` is later than that. */
  to: instantText.optional(),
  /** Interval of the detail candles. The strategy's interval must be a multiple of it. */
  detailInterval: z.enum(INTERVALS).default('1m'),
  balance: positiveAmount.default('1000'),
  ...costTerms.shape,
});

const purse = z.enum(['shared', 'separate']);
const scope = z.enum(['profile', 'account']);

/** Sharing between coins of a backtest. */
export const runSharing = z.strictObject({
  purse: purse
    .default('shared')
    .describe(
      'shared: all coins use one balance, under the limits of profile and account; separate: each coin has the whole balance',
    ),
  scope: scope
    .default('profile')
    .describe('account: includes all profiles of the account with coins, each with its own strategy and settings'),
});
export type RunSharing = z.output<typeof runSharing>;

const [DAY_MS, MINUTE_MS] = [86_400_000, 60_000];

/**
 * End of a window without `to`: the last full day, so that runs a minute apart have the same window. A window that starts
 * today ends at the newest whole minute.
 */
export function openWindowEnd(fromMs: number, nowMs: number): number {
  const day = nowMs - (nowMs % DAY_MS);
  return fromMs < day ? day : nowMs - (nowMs % MINUTE_MS);
}

export const sweepTerms = z.strictObject({
  ...runTerms.shape,
  /** Such as ema.fast=5..50:5; ema.slow=60,100,200 */
  knobs: z.string().min(1).max(2000),
  search: z.enum(['grid', 'random', 'halving']).default('grid'),
  /** Number of sets drawn at random by `seed`. A grid tries all sets, and so does halving without `count`. */
  count: z.int().min(1).max(100_000).optional(),
  seed: z.int().min(0).default(1),
  rank: z.enum(['return', 'sharpe', 'sortino', 'calmar', 'net']).default('sharpe'),
  /** Walk-forward: also selects a set on each training window and runs it on the test window after it. */
  walkForward: z.strictObject({ trainDays: z.int().min(1).max(3650), testDays: z.int().min(1).max(3650) }).optional(),
});

const place = { venue: z.enum(['live', 'testnet', 'demo', 'paper']) };
const coin = z.object({ symbol: z.string(), config: z.unknown() });
/** Requests stored before these costs existed ran without them. */
const storedCosts = {
  slippageBps: bps.default('0'),
  spreadBps: bps.default('0'),
  volumePercent: volumePercent.default('0'),
};
/** A coin of a run with its profile. Requests from before shared runs have no profile. */
const runCoin = coin.extend({ profileId: idSchema<ProfileId>().optional(), strategyName: z.string().optional() });
/** The risk limits of a run, as of its launch. */
const runLimits = z.object({
  timezone: z.string(),
  limits: z.array(
    z.object({ scope: z.enum(RISK_SCOPES), subject: z.string(), limits: z.unknown().transform(readRiskLimits) }),
  ),
});
export type RunLimits = z.output<typeof runLimits>;
const storedSharing = {
  /** Absent in requests from before shared balances: each coin ran separately. */
  purse: purse.optional(),
  scope: scope.default('profile'),
  limits: runLimits.optional(),
};
/** Stored requests: the request, the venue, and each coin with its merged config. */
export const runRequest = z.object({
  ...{ ...runTerms.shape, ...storedCosts, ...storedSharing, ...place },
  coins: z.array(runCoin).min(1),
});
export const sweepRequest = z.object({ ...sweepTerms.shape, ...storedCosts, ...place, coin });
export type RunRequest = z.output<typeof runRequest>;
export type SweepRequest = z.output<typeof sweepRequest>;

/** Random draw of sets; undefined for all combinations. */
export const drawOf = ({ search, count, seed }: Pick<SweepRequest, 'search' | 'count' | 'seed'>) =>
  search === 'grid' || (search === 'halving' && count === undefined) ? undefined : { count: count ?? 1000, seed };

export interface FoldWindow {
  readonly trainFromMs: number;
  readonly testFromMs: number;
  readonly testToMs: number;
}

/** Windows of a walk-forward: each test window follows its training window, and the next test starts at its end. */
export function foldsOf(
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  { trainMs, testMs }: { readonly trainMs: number; readonly testMs: number },
): FoldWindow[] {
  const count = Math.max(0, Math.floor((toMs - fromMs - trainMs) / testMs));
  return Array.from({ length: count }, (_, i) => {
    const testFromMs = fromMs + trainMs + i * testMs;
    return { trainFromMs: fromMs + i * testMs, testFromMs, testToMs: testFromMs + testMs };
  });
}

/** Sets per unit of a sweep: at most minutes of work, and small enough to share between many workers. */
const SETS_A_UNIT = 64;

export const unitsOf = (sets: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(sets.length / SETS_A_UNIT) }, (_, i) =>
    sets.slice(i * SETS_A_UNIT, (i + 1) * SETS_A_UNIT),
  );
