import { z } from 'zod';
import { type Decimal, formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import { instantText } from '#core/text-fields.ts';
import { costTerms } from './research.ts';

/* A dry run: a changed config of a profile next to its present one, over the same candles. The worker writes results, the api shows them. */

/** Decisions, over all coins, after which a dry run is finished. */
export const [FEWEST_DECISIONS, MOST_DECISIONS] = [10, 100_000] as const;
/** Coins of one dry run: both sides of all of them are computed again and again. */
export const MOST_COINS = 50;
/** Differing decisions that are kept of each coin, newest first. */
export const MOST_DIFFERENCES = 20;

export const DRY_RUN_STATES = ['running', 'finished', 'promoted', 'dropped', 'failed'] as const;

const amount = z.string();

/** A decision at the close of a candle, with the order that it places. */
const decision = z.object({
  /** Code of the reason; the strategy has its sentence. */
  reason: z.string(),
  /** The order that it placed; null when it placed none. `limit`: null for one at the market. */
  order: z.object({ side: z.enum(['buy', 'sell']), quantity: amount, limit: amount.nullable() }).nullable(),
});
export type DryRunDecision = z.output<typeof decision>;

/** A close at which the two sides decided differently. */
const difference = z.object({ at: z.iso.datetime(), present: decision, changed: decision });

/** Money and trades of one side since the start, in quote. */
const money = {
  /** Change of cash and coins at the last close, after all fees paid. */
  net: amount,
  /** Profit of the sales alone, net of all fees. */
  realised: amount,
  fees: amount,
  orders: z.number(),
  buys: z.number(),
  sells: z.number(),
  /** Candles without a certain order of events inside them: another order of events gives another result. */
  doubtful: z.number(),
};

const side = z.object({
  decisions: z.number(),
  ...money,
  /** At the last close. `stop` is the trigger of the stop on the exchange. */
  position: z.object({ quantity: amount, averagePrice: amount, value: amount, stop: amount.nullable() }),
});
export type DryRunSide = z.output<typeof side>;

const sides = <Side extends z.ZodType>(one: Side) => ({ present: one, changed: one });

const dryRunCoin = z.object({
  symbol: z.string(),
  quoteAsset: z.string(),
  /** Why the coin could not be computed; the others are computed without it. Its numbers are then zero. */
  refused: z.string().nullable(),
  /** Candles computed, and candles that are missing between the first and the last one. */
  candles: z.number(),
  missing: z.number(),
  /** Decisions of both sides at the same close that differ, the first of them and the newest. */
  differing: z.number(),
  first: difference.nullable(),
  recent: z.array(difference).max(MOST_DIFFERENCES),
  ...sides(side),
});
export type DryRunCoin = z.output<typeof dryRunCoin>;

/** All coins with one quote asset: they share a balance. */
const dryRunTotal = z.object({
  quoteAsset: z.string(),
  /** Free balance at the start, and the value of the coins held then. */
  balance: amount,
  held: amount,
  ...sides(z.object(money)),
});
export type DryRunTotal = z.output<typeof dryRunTotal>;

/** The result up to a moment. */
export const dryRunResult = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  /** Decisions of each side over all coins, and how many differ. */
  decisions: z.number(),
  differing: z.number(),
  coins: z.array(dryRunCoin).max(MOST_COINS),
  totals: z.array(dryRunTotal),
  /** The assumptions of both sides, as sentences. */
  assumptions: z.array(z.string()),
});
export type DryRunResult = z.output<typeof dryRunResult>;

/** The result without its differing decisions, for a list. */
export const dryRunSummary = dryRunResult.omit({ coins: true, assumptions: true });

/** In stored JSON a decimal is text, and so is a moment. */
const decimal = z.codec(z.string(), z.custom<Decimal>(), { decode: requireDecimal, encode: formatDecimal });
const moment = z
  .codec(instantText, z.date(), { decode: (text) => new Date(text), encode: (at) => at.toISOString() })
  .nullable();

const storedPosition = z.object({
  quantity: decimal,
  averagePrice: decimal,
  cost: decimal,
  peakQuantity: decimal,
  cycle: z.number(),
  cycleNet: decimal,
  filledQuote: decimal,
  firstBuyAt: moment,
  lastFillAt: moment,
  cooldownUntil: moment,
  lastCycleNet: decimal.nullable(),
});

const storedLevel = z.object({ level: z.number().nullable(), plannedQuote: decimal, filledQuote: decimal });

/** Where both sides start: the coins with their positions, the balance of each quote asset, costs and limits. */
export const dryRunOpening = z.object({
  /** The first minute that is computed. */
  from: instantText,
  balances: z.record(z.string(), z.string()),
  costs: costTerms,
  /** Of profile and account; read by runLimits of research.ts. Null without limits. */
  limits: z.unknown(),
  coins: z.array(
    z.object({
      symbol: z.string(),
      position: storedPosition,
      levels: z.array(storedLevel),
      /** The state of the strategy, as the engine stores it. */
      state: z.unknown(),
    }),
  ),
});
export type DryRunOpening = z.output<typeof dryRunOpening>;

/** The coins of the profile with their overrides, as stored at the start. */
export const dryRunCoins = z.array(z.object({ symbol: z.string(), overrideConfig: z.unknown() }));
export type DryRunCoins = Readonly<z.output<typeof dryRunCoins>>;
