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
