import type { Interval } from '#core/market/candle.ts';
import type { Side } from '#core/order/order.ts';
import type { Coverage } from './columns.ts';
import type { Metrics } from './metrics.ts';
import type { holdout, Regime } from './splits.ts';

/** One execution; amounts are exact decimal text, times ISO. */
export interface FillRecord {
  /** For several coins: the coin. */
  readonly symbol?: string;
  readonly at: string;
  readonly side: Side;
  readonly price: string;
  readonly quantity: string;
  readonly quote: string;
  readonly fee: string;
  readonly feeAsset: string;
  readonly reason: string;
  readonly cycle: number;
  /** Realised P&L of a sell against the average price, in quote after its fee; null for a buy. */
  readonly realised: string | null;
  readonly cash: string;
  readonly position: string;
}

export interface CycleRecord {
  readonly symbol?: string;
  readonly cycle: number;
  readonly openedAt: string;
  readonly closedAt: string;
  readonly net: string;
  readonly exitReason: string;
}

export interface RejectionRecord {
  readonly symbol?: string;
  readonly at: string;
  readonly side: Side;
  readonly quantity: string;
  readonly reason: string;
}

/** Equity in quote and the price, at the close of a detail candle. */
export interface EquityPoint {
  readonly at: string;
  readonly equity: number;
  readonly price: number;
}

/** Result of one coin of several; money in quote. */
export interface CoinPart {
  readonly fills: number;
  readonly bought: number;
  readonly sold: number;
  readonly fees: number;
  readonly closedCycles: number;
  readonly wins: number;
  readonly net: number;
  readonly held: string;
  readonly buyAndHold: number;
}

interface DrawdownRecord {
  readonly depth: number;
  readonly peakAt: string;
  readonly troughAt: string;
  readonly recoveredAt: string | null;
}

/** The result of a run as plain JSON. */
export interface BacktestResult {
  readonly v: 1;
  readonly strategy: string;
  readonly symbol: string;
  readonly quoteAsset: string;
  readonly interval: Interval;
  readonly detailInterval: Interval;
  readonly from: string;
  readonly to: string;
  readonly balance: string;
  readonly feeBps: number;
  readonly makerFeeBps: number;
  readonly feeIn: 'received' | 'other';
  readonly slippageBps: number;
  readonly spreadBps: number;
  /** Share of a candle's volume that orders may take, in percent; 0: no limit. */
  readonly volumePercent: number;
  readonly fillRules: readonly string[];
  readonly coverage: Coverage & { readonly offGrid: number; readonly warmUp: number; readonly warmUpWanted: number };
  readonly warnings: readonly string[];
  readonly metrics: Metrics;
  readonly drawdown: DrawdownRecord;
  /** The first 70 % and the last 30 % of the days separately; null for a short window. */
  readonly holdout: ReturnType<typeof holdout>;
  /** By the trend of the coin: up, down, sideways, unknown. */
  readonly regimes: Readonly<Record<string, Regime>>;
  /** Detail candles per reason code: why it did not trade. */
  readonly decisions: Readonly<Record<string, number>>;
  /** Candles of the window that the strategy skipped in bulk. At the others it decided one by one. */
  readonly passedCandles: number;
  readonly openPosition: { readonly quantity: string; readonly averagePrice: string } | null;
  /** Final equity, with its lowest and highest value over the doubtful candles; `candles` counts them. */
  readonly ambiguity: {
    readonly candles: number;
    /** Of them: a stop sold inside the candle, and the price then fell below its limit. */
    readonly stops: number;
    /** Of them: low or high crossed a price at which the strategy acts, but the candle did not close there. */
    readonly crossed: number;
    readonly worst: number;
    readonly base: number;
    readonly best: number;
  };
  readonly dailyEquity: readonly number[];
  /** About 500 points over the window, including peak and trough of the max drawdown. */
  readonly equityCurve: readonly EquityPoint[];
  /** For several coins (`symbol` is `basket`): the result of each coin. */
  readonly coins?: Readonly<Record<string, CoinPart>>;
  readonly fills: readonly FillRecord[];
  readonly cycles: readonly CycleRecord[];
  readonly rejections: readonly RejectionRecord[];
  readonly fingerprint: string;
}
