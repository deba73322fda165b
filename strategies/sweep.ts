import type { Decimal } from '#core/amount/decimal.ts';
import type { CandleColumns, Interval } from '#core/market/candle.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { Tally } from '#core/research/tally.ts';

interface SweptSeries {
  readonly interval: Interval;
  readonly columns: CandleColumns;
}

/** Market and terms that all configs of a sweep have in common. They are those of a backtest. */
export interface SweptMarket {
  readonly rules: SymbolRules;
  readonly terms: {
    readonly balance: Decimal;
    readonly feeRate: Decimal;
    readonly feeIn?: 'received' | 'other';
    readonly slippage: Decimal;
    readonly halfSpread?: Decimal;
    readonly participation?: Decimal;
  };
  /** Candles at the interval of the strategy, with all available history before the window. */
  readonly signal: SweptSeries;
  /** Candles for decisions and fills; never coarser than the signal. */
  readonly detail: SweptSeries;
  /** Traded rows of `detail`: `start` inclusive, `end` exclusive. */
  readonly start: number;
  readonly end: number;
}

/** Result of one config on the window. */
export interface SweptRun {
  /** Start balance in quote. */
  readonly balance: number;
  /** Equity at the end of each day, in quote. */
  readonly days: readonly number[];
  readonly drawdown: number;
  readonly tally: Readonly<Tally>;
  readonly fills: number;
  readonly heldCandles: number;
  readonly candles: number;
}

/** The fills of one recorded run in order of time: whole numbers, `count` of each column. */
export interface RecordedFills {
  readonly count: number;
  /** The detail candle, and the time in ms UTC. */
  readonly rows: Float64Array;
  readonly atMs: Float64Array;
  /** Bought lots; below zero for a sale. The price in ticks. */
  readonly lots: Float64Array;
  readonly ticks: Float64Array;
  /** In 1e-8: the amount in quote, the fee in its asset, then cash and position after the fill. */
  readonly quote: Float64Array;
  readonly fee: Float64Array;
  readonly cash: Float64Array;
  readonly position: Float64Array;
  /** For a stop that sold inside its candle: its limit in ticks; 0 for any other fill. */
  readonly limits: Float64Array;
  /** Index of the reason in `reasons` of the run. */
  readonly reason: Float64Array;
}

/** One config on the window with each of its fills. The strategy decided at the close of every detail candle. */
export interface RecordedRun {
  readonly fills: RecordedFills;
  readonly reasons: readonly string[];
  /** Candles for each reason of a decision; a reason that no candle had may be missing or 0. */
  readonly decisions: ReadonlyMap<string, number>;
  readonly heldCandles: number;
  /** Closed candles before the window that the strategy has seen. */
  readonly warmUp: number;
  /** Candles of the window at which nothing had to be decided. */
  readonly skipped: number;
}
