import { z } from 'zod';
import { INTERVALS } from '#core/market/candle.ts';
import { divide, readDecimal, requireDecimal } from '#core/amount/decimal.ts';
import { idSchema, type ProfileId } from '#core/ids.ts';
import { readRiskLimits, RISK_SCOPES } from '#core/account/risk.ts';
import { instantText, positiveAmount } from '#core/text-fields.ts';

/* What a backtest or a sweep was asked for, as the api takes it and the worker reads it back. */

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
 * What trading costs in a run. The API, the web app and the command line share the names and the defaults; a flag is the
 * name with dashes: `--spread-bps` for `spreadBps`. A bps is a hundredth of a percent.
 */
export const costTerms = z.strictObject({
  /** Fee of an order that trades at once. */
  feeBps: bps.default('10').describe('Fee of an order that trades at once, in hundredths of a percent'),
  makerFeeBps: bps.optional().describe('Fee of an order that waited in the book; the same where it is absent'),
  feeIn: z
    .enum(['received', 'other'])
    .default('received')
    .describe('received: fees are taken from what is bought or sold for; other: from a third asset, at their value'),
  slippageBps: bps.default('2').describe('How much worse than the price a market order fills'),
  spreadBps: bps.default('2').describe('Distance between the best bid and ask; a market order pays half of it'),
  volumePercent: volumePercent
    .default('5')
    .describe("Share of a candle's volume that orders may take; the rest of an order waits. 0: any amount"),
});
export type Costs = z.output<typeof costTerms>;

const BPS = requireDecimal('10000');
const [TWO, HUNDRED] = [requireDecimal('2'), requireDecimal('100')];
const rateOf = (text: string) => divide(requireDecimal(text), BPS);

/** The costs as exact fractions, as a backtest takes them. */
export function chargesOf({ feeBps, makerFeeBps, feeIn, slippageBps, spreadBps, volumePercent: volume }: Costs) {
  const participation = divide(requireDecimal(volume), HUNDRED);
  return {
    feeRate: rateOf(feeBps),
    ...(makerFeeBps === undefined ? {} : { makerFeeRate: rateOf(makerFeeBps) }),
    feeIn,
    slippage: rateOf(slippageBps),
    halfSpread: divide(rateOf(spreadBps), TWO),
    ...(participation > 0n ? { participation } : {}),
  };
}

/** Names the one result of coins that share a balance. */
export const BASKET = 'basket';

/** The window, the candles and the money of a run. */
export const runTerms = z.strictObject({
  from: instantText,
  /** Up to the end of the last full day (UTC) where it is absent; up to now where `from` lies later than that. */
  to: instantText.optional(),
  /** Candles that decide and fill; the strategy's own interval must be a multiple of it. */
  detailInterval: z.enum(INTERVALS).default('1m'),
  balance: positiveAmount.default('1000'),
  ...costTerms.shape,
});

const purse = z.enum(['shared', 'separate']);
const scope = z.enum(['profile', 'account']);

/** What coins of a backtest share. */
export const runSharing = z.strictObject({
  purse: purse
    .default('shared')
    .describe(
      'shared: all coins have one balance, under the limits of profile and account; separate: each has all of it',
    ),
  scope: scope
    .default('profile')
    .describe(
      'account: all profiles of the account that have coins take part, each with its own strategy and settings',
    ),
});
export type RunSharing = z.output<typeof runSharing>;

const [DAY_MS, MINUTE_MS] = [86_400_000, 60_000];

/**
 * Where a window without an end ends: with the last full day, so that runs a minute apart have the same window. A window
 * of today goes up to the newest whole minute.
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
  /** Sets drawn at random by `seed`; all of them for a grid, and for halving where it is absent. */
  count: z.int().min(1).max(100_000).optional(),
  seed: z.int().min(0).default(1),
  rank: z.enum(['return', 'sharpe', 'sortino', 'calmar', 'net']).default('sharpe'),
  /** Also chooses on each window of training days and tries the choice on the test days after it. */
  walkForward: z.strictObject({ trainDays: z.int().min(1).max(3650), testDays: z.int().min(1).max(3650) }).optional(),
});

const place = { venue: z.enum(['live', 'testnet', 'demo', 'paper']) };
const coin = z.object({ symbol: z.string(), config: z.unknown() });
/** A request that was stored before these costs existed was run without them. */
const storedCosts = {
  slippageBps: bps.default('0'),
  spreadBps: bps.default('0'),
  volumePercent: volumePercent.default('0'),
};
/** A coin of a run, with the profile that trades it; absent in requests from before profiles could run together. */
const runCoin = coin.extend({ profileId: idSchema<ProfileId>().optional(), strategyName: z.string().optional() });
/** The limits that a run is under, as they were at its launch. */
const runLimits = z.object({
  timezone: z.string(),
  limits: z.array(
    z.object({ scope: z.enum(RISK_SCOPES), subject: z.string(), limits: z.unknown().transform(readRiskLimits) }),
  ),
});
export type RunLimits = z.output<typeof runLimits>;
const storedSharing = {
  /** Absent in requests from before coins could share a balance: they ran each coin separately. */
  purse: purse.optional(),
  scope: scope.default('profile'),
  limits: runLimits.optional(),
};
/** The stored requests: what was asked for, on which venue, and each coin with its merged config. */
export const runRequest = z.object({
  ...{ ...runTerms.shape, ...storedCosts, ...storedSharing, ...place },
  coins: z.array(runCoin).min(1),
});
export const sweepRequest = z.object({ ...sweepTerms.shape, ...storedCosts, ...place, coin });
export type RunRequest = z.output<typeof runRequest>;
export type SweepRequest = z.output<typeof sweepRequest>;

/** Sets that are drawn; undefined for all combinations. */
export const drawOf = ({ search, count, seed }: Pick<SweepRequest, 'search' | 'count' | 'seed'>) =>
  search === 'grid' || (search === 'halving' && count === undefined) ? undefined : { count: count ?? 1000, seed };

export interface FoldWindow {
  readonly trainFromMs: number;
  readonly testFromMs: number;
  readonly testToMs: number;
}

/** Windows of a walk-forward: each test follows its training, and the next begins where it ends. */
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

/** Sets of one unit of a sweep: minutes of work at most, and few enough that many workers have something to do. */
const SETS_A_UNIT = 64;

export const unitsOf = (sets: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(sets.length / SETS_A_UNIT) }, (_, i) =>
    sets.slice(i * SETS_A_UNIT, (i + 1) * SETS_A_UNIT),
  );
