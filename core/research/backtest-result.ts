import { z } from 'zod';
import { INTERVALS } from '#core/market/candle.ts';

/* The result of a backtest as plain JSON. The worker stores it, the api shows it, the command line prints it. */

const list = <T extends z.ZodType>(item: T) => z.array(item).readonly();
const number = z.number();
const numberOrNull = z.number().nullable();
const text = z.string();
/** For several coins: the coin. */
const symbol = text.optional();
const side = z.enum(['buy', 'sell']);

/** One execution; amounts are exact decimal text, times ISO. */
const fill = z.object({
  symbol,
  at: text,
  side,
  price: text,
  quantity: text,
  quote: text,
  fee: text,
  feeAsset: text,
  reason: text,
  cycle: number,
  /** Realised P&L of a sell against the average price, in quote after its fee; null for a buy. */
  realised: text.nullable(),
  cash: text,
  position: text,
});
export type FillRecord = z.output<typeof fill>;

const cycle = z.object({ symbol, cycle: number, openedAt: text, closedAt: text, net: text, exitReason: text });
export type CycleRecord = z.output<typeof cycle>;

const rejection = z.object({ symbol, at: text, side, quantity: text, reason: text });
export type RejectionRecord = z.output<typeof rejection>;

/** Equity in quote and the price, at the close of a detail candle. */
const equityPoint = z.object({ at: text, equity: number, price: number });
export type EquityPoint = z.output<typeof equityPoint>;

/** Result of one coin of several; money in quote. */
const coinPart = z.object({
  fills: number,
  bought: number,
  sold: number,
  fees: number,
  closedCycles: number,
  wins: number,
  net: number,
  held: text,
  buyAndHold: number,
});
export type CoinPart = z.output<typeof coinPart>;

/** Mean, median and longest time from the first buy to the sell that closed the cycle, in ms. */
const durations = z.object({ meanMs: number, medianMs: number, longestMs: number });
export type Durations = z.output<typeof durations>;

const exitMetrics = z.object({ cycles: number, wins: number, net: number });
export type ExitMetrics = z.output<typeof exitMetrics>;

/** Metrics on the capital in use. */
const capitalMetrics = z.object({
  /** Peak capital in use, in quote. */
  used: number,
  /** Null when nothing was bought. */
  returnOnUsed: numberOrNull,
  meanExposure: number,
  /** Return of the benchmark that holds the mean exposure all the time. */
  equalExposure: number,
  /** Total return less that of equal exposure. */
  alpha: number,
});
export type CapitalMetrics = z.output<typeof capitalMetrics>;

/** Each metric is defined where it is computed (backtest/metrics.ts). */
export const storedMetrics = z.object({
  totalReturn: number,
  cagr: numberOrNull,
  buyAndHold: number,
  costAveraging: number,
  /** Results stored by an earlier version lack it. */
  capital: capitalMetrics.optional(),
  finalEquity: number,
  closedCycles: number,
  /** Sum of the nets of the closed cycles, in quote. */
  net: number,
  profitFactor: numberOrNull,
  expectancy: numberOrNull,
  winRate: numberOrNull,
  best: numberOrNull,
  worst: numberOrNull,
  /** Share of the time with a position. `capital.meanExposure` is the share of the equity in it. */
  exposure: number,
  fees: number,
  /** Quote bought and sold / balance. */
  turnover: number,
  durations: durations.nullable(),
  sharpe: numberOrNull,
  sortino: numberOrNull,
  calmar: numberOrNull,
  sqn: numberOrNull,
  exits: z.record(z.string(), exitMetrics),
});
export type StoredMetrics = z.output<typeof storedMetrics>;
export type Metrics = StoredMetrics & { readonly capital: CapitalMetrics };

/** A run over part of its days. */
const part = z.object({
  from: text,
  days: number,
  totalReturn: number,
  buyAndHold: number,
  sharpe: numberOrNull,
  /** Max drawdown between ends of days. */
  drawdown: number,
  closedCycles: number,
  net: number,
});
export type Part = z.output<typeof part>;

const regime = z.object({
  days: number,
  /** Return of the equity and of the coin on these days: product of (1 + daily return) - 1. */
  totalReturn: number,
  coinReturn: number,
  closedCycles: number,
  net: number,
});
export type Regime = z.output<typeof regime>;

/** Candles of the window; `gaps` are runs of missing ones. */
const coverage = z.object({
  candles: number,
  missing: number,
  gaps: number,
  longestGapMs: number,
  offGrid: number,
  warmUp: number,
  warmUpWanted: number,
});

/** The result of one coin, or of all coins of a run that share a balance. */
export const storedResult = z.object({
  v: z.literal(1),
  strategy: text,
  symbol: text,
  quoteAsset: text,
  interval: z.enum(INTERVALS),
  detailInterval: z.enum(INTERVALS),
  from: text,
  to: text,
  balance: text,
  feeBps: number,
  makerFeeBps: number,
  feeIn: z.enum(['received', 'other']),
  slippageBps: number,
  spreadBps: number,
  /** Share of a candle's volume that orders may take, in percent; 0: no limit. */
  volumePercent: number,
  fillRules: list(text),
  coverage,
  warnings: list(text),
  metrics: storedMetrics,
  drawdown: z.object({ depth: number, peakAt: text, troughAt: text, recoveredAt: text.nullable() }),
  /** The first 70 % and the last 30 % of the days separately; null for a short window. */
  holdout: z.object({ inSample: part, outOfSample: part }).nullable(),
  /** By the trend of the coin: up, down, sideways, unknown. */
  regimes: z.record(z.string(), regime),
  /** Detail candles per reason code: why it did not trade. */
  decisions: z.record(z.string(), z.number()),
  /** Candles of the window that the strategy skipped in bulk. At the others it decided one by one. */
  passedCandles: number,
  openPosition: z.object({ quantity: text, averagePrice: text }).nullable(),
  /** Final equity, with its lowest and highest value over the doubtful candles; `candles` counts them. */
  ambiguity: z.object({
    candles: number,
    /** Of them: a stop sold inside the candle, and the price then fell below its limit. */
    stops: number,
    /** Of them: low or high crossed a price at which the strategy acts, but the candle did not close there. */
    crossed: number,
    worst: number,
    base: number,
    best: number,
  }),
  dailyEquity: list(number),
  /** About 500 points over the window, including peak and trough of the max drawdown. */
  equityCurve: list(equityPoint),
  /** For several coins (`symbol` is `basket`): the result of each coin. */
  coins: z.record(z.string(), coinPart).optional(),
  fills: list(fill),
  cycles: list(cycle),
  rejections: list(rejection),
  fingerprint: text,
});
export type StoredResult = z.output<typeof storedResult>;
export type BacktestResult = StoredResult & { readonly metrics: Metrics };
