import type { Interval } from '#core/market/candle.ts';
import type { Side } from '#core/order/order.ts';
import type { Coverage } from './columns.ts';
import type { Metrics } from './metrics.ts';
import type { holdout, Regime } from './splits.ts';

/** One execution; amounts are exact decimal text, times ISO. */
export interface FillRecord {
  /** Of a basket: which coin. */
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
  /** Gain of a sell against the average price, in quote after its fee; null for a buy. */
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

/** Equity in quote and the price beside it, at the close of a detail candle. */
export interface EquityPoint {
  readonly at: string;
  readonly equity: number;
  readonly price: number;
}

/** What one coin did in a basket; money in quote. */
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

/** Everything a run says, as plain JSON. */
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
  /** Share of a candle's volume that orders may take; 0: any amount. */
  readonly volumePercent: number;
  readonly fillRules: readonly string[];
  readonly coverage: Coverage & { readonly offGrid: number; readonly warmUp: number; readonly warmUpWanted: number };
  readonly warnings: readonly string[];
  readonly metrics: Metrics;
  readonly drawdown: DrawdownRecord;
  /** The first 70 % of the days and the last 30 % apart; null for a short window. */
  readonly holdout: ReturnType<typeof holdout>;
  /** By what the coin was doing: up, down, sideways, unknown. */
  readonly regimes: Readonly<Record<string, Regime>>;
  /** How many detail candles ended with each reason: why it did not trade. */
  readonly decisions: Readonly<Record<string, number>>;
  /** Candles of the window that the strategy passed many at a time; at the others it was asked one by one. */
  readonly passedCandles: number;
  readonly openPosition: { readonly quantity: string; readonly averagePrice: string } | null;
  /** Final equity, and the least and the most that the doubtful candles allow; `candles` counts those. */
  readonly ambiguity: {
    readonly candles: number;
    /** Of them: a stop sold inside the candle, and the price went on beyond the limit of its order. */
    readonly stops: number;
    /** Of them: low or high crossed a price at which the strategy acts, and the candle closed elsewhere. */
    readonly crossed: number;
    readonly worst: number;
    readonly base: number;
    readonly best: number;
  };
  readonly dailyEquity: readonly number[];
  /** About 500 points over the window, the peak and the trough of the deepest fall among them. */
  readonly equityCurve: readonly EquityPoint[];
  /** Of a basket, whose `symbol` is `basket`: each coin by itself. */
  readonly coins?: Readonly<Record<string, CoinPart>>;
  readonly fills: readonly FillRecord[];
  readonly cycles: readonly CycleRecord[];
  readonly rejections: readonly RejectionRecord[];
  readonly fingerprint: string;
}
