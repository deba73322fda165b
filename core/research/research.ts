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

const inPercent = (title: string, help: string) => ({ title, form: { help, percent: 'bps' } });

/**
 * Trading costs of a run. The API, the web app and the command line share the names and the defaults. A flag is the name
 * with dashes: `--spread-bps` for `spreadBps`. 1 bps is 0.01 %.
 */
export const costTerms = z.strictObject({
  /** Taker fee. */
  feeBps: bps
    .default('10')
    .meta({ ...inPercent('Fee', 'Fee of the exchange on every fill.'), description: 'Taker fee in bps (0.01 %)' }),
  makerFeeBps: bps.optional().meta({
    ...inPercent('Maker fee', 'For an order that waited in the order book; empty: same as the fee.'),
    description: 'Maker fee in bps; default: the taker fee',
  }),
  feeIn: z
    .enum(['received', 'other'])
    .default('received')
    .meta({
      title: 'Fees are taken',
      description: 'received: fees reduce the received asset; other: fees are paid in a third asset, at their value',
      form: {
        help: "Some accounts pay fees in a third asset, such as the exchange's own coin.",
        options: { received: 'from the received asset', other: 'from a third asset, at its value' },
      },
    }),
  slippageBps: bps.default('2').meta({
    ...inPercent('Slippage', 'How much worse than the price a market order fills.'),
    description: 'Slippage of a market order in bps',
  }),
  spreadBps: bps.default('2').meta({
    ...inPercent('Spread', 'Between best bid and ask; a market order pays half of it.'),
    description: 'Spread in bps; a market order pays half of it',
  }),
  volumePercent: volumePercent.default('5').meta({
    title: 'Share of the volume',
    description: "Share of a candle's volume that orders may take; the rest of an order waits. 0: any amount",
    form: { unit: '%' },
  }),
});
export type Costs = z.output<typeof costTerms>;

/** Window, candles, balance and costs of a run. */
export const runTerms = z.strictObject({
  from: instantText,
  /** Default: the end of the last full day (UTC), or now when `from` is later than that. */
  to: instantText.optional(),
  /** Interval of the detail candles. The strategy's interval must be a multiple of it. */
  detailInterval: z
    .enum(INTERVALS)
    .default('1m')
    .meta({ title: 'Candles', form: { help: 'Shorter candles are more exact and take longer.' } }),
  balance: positiveAmount
    .default('1000')
    .meta({ title: 'Starting balance', form: { help: 'Play money; all of it in cash.', unit: 'quote' } }),
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

const days = z.int().min(1).max(3650);

/** How a sweep searches, and how it ranks. */
export const howToSearch = z.strictObject({
  search: z
    .enum(['grid', 'random', 'halving'])
    .default('grid')
    .meta({
      title: 'Search',
      form: {
        help: 'Grid: every combination. Random: a sample. Successive halving: all on a short part of the period, then the better half on a longer one.',
        options: { grid: 'Grid', random: 'Random', halving: 'Successive halving' },
      },
    }),
  /** Number of sets drawn at random by `seed`. A grid tries all sets, and so does halving without `count`. */
  count: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .meta({ title: 'Settings drawn', form: { when: { search: ['random'] } } }),
  rank: z
    .enum(['return', 'sharpe', 'sortino', 'calmar', 'net'])
    .default('sharpe')
    .meta({
      title: 'Optimise for',
      form: {
        help: 'Return per unit of volatility (Sharpe), of downside volatility (Sortino) or of max drawdown (Calmar), or the total.',
        options: { return: 'Return', sharpe: 'Sharpe', sortino: 'Sortino', calmar: 'Calmar', net: 'Net P&L' },
      },
    }),
  /** Also selects a set on each training window and runs it on the test window after it. */
  walkForward: z
    .strictObject({
      trainDays: days.meta({ title: 'Train days', form: { unit: 'days' } }),
      testDays: days.meta({ title: 'Test days', form: { unit: 'days' } }),
    })
    .optional()
    .meta({ title: 'Walk forward', form: { when: { search: ['grid', 'random'] } } }),
});

export const sweepTerms = z.strictObject({
  ...runTerms.shape,
  /** Such as ema.fast=5..50:5; ema.slow=60,100,200 */
  knobs: z.string().min(1).max(2000),
  ...howToSearch.shape,
  seed: z.int().min(0).default(1),
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
const runLimit = z.object({ scope: z.enum(RISK_SCOPES), subject: z.string(), limits: z.unknown() });
/** The risk limits of a run, as of its launch. */
export const runLimits = z.object({
  timezone: z.string(),
  limits: z.array(runLimit.extend({ limits: z.unknown().transform(readRiskLimits) })),
});
export type RunLimits = z.output<typeof runLimits>;
const storedSharing = {
  /** Absent in requests from before shared balances: each coin ran separately. */
  purse: purse.optional(),
  scope: scope.default('profile'),
};
/** Stored requests as the API shows them: the request, the venue, and each coin with its merged config. */
export const storedRunRequest = z.object({
  ...{ ...runTerms.shape, ...storedCosts, ...storedSharing, ...place },
  coins: z.array(runCoin).min(1),
  limits: runLimits.extend({ limits: z.array(runLimit) }).optional(),
});
export const runRequest = storedRunRequest.extend({ limits: runLimits.optional() });
export const sweepRequest = z.object({ ...sweepTerms.shape, ...storedCosts, ...place, coin });
export type StoredRunRequest = z.output<typeof storedRunRequest>;
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
