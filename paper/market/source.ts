import type { CandleColumns } from '#core/market/candle.ts';
import type { Decimal } from '#core/amount/decimal.ts';
import type { SymbolRules } from '#core/market/symbol.ts';

/** One coin of a market source: its trading rules and the finest interval of its candles. */
export interface Listing {
  readonly rules: SymbolRules;
  readonly intervalMs: number;
  readonly grid: Grid;
  /** The usual spread of the makers as a share of the price; absent: one or two ticks. */
  readonly spread?: number;
  /** The largest amount of the base asset, held and on order, of an account; absent for no limit. */
  readonly maxPosition?: Decimal;
  /** True for a coin with the filters PERCENT_PRICE and MIN_NOTIONAL in place of their successors. */
  readonly isOlder?: boolean;
}

/** The price and quantity grid in units of 10^-8. So a whole count of ticks or lots converts to the nearest float64. */
export interface Grid {
  readonly tickUnits: number;
  readonly stepUnits: number;
}

/** One candle of the source; prices and volume as float64, `closeMs` exclusive. */
export interface SourceCandle {
  readonly openMs: number;
  readonly closeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/**
 * The source of prices. Everything is a pure function of its arguments. So a market can be left and entered again at
 * any time, and a restarted process continues the same market.
 */
export interface MarketSource {
  readonly name: string;
  readonly listings: readonly Listing[];
  /** Market time at which a new market starts; earlier candles are history. */
  readonly startMs: number;
  /** When the last candle ends; null if the market never ends. */
  readonly endMs: number | null;
  /** Candles with fromMs <= openMs < toMs, oldest first; missing candles stay missing. */
  candles(symbol: string, fromMs: number, toMs: number): CandleColumns;
  /** The first candle that closes after `ms`. */
  candleAfter(symbol: string, ms: number): SourceCandle | undefined;
  /** The last candle that opened before `ms`. */
  candleBefore(symbol: string, ms: number): SourceCandle | undefined;
  /** The number of trades of all candles that opened before `ms`, `perCandle` each (path.ts). */
  tradesBefore(symbol: string, ms: number, perCandle: number): number;
}

const UNITS = 1e8;

/** Converts a whole count of ticks or lots to its value; exact to the nearest float64 below 9e7. */
export const valueOf = (count: number, units: number): number => (count * units) / UNITS;
/** The nearest whole count of ticks or lots. */
export const countOf = (value: number, units: number): number => Math.round((value * UNITS) / units);

/** The row as a candle; undefined outside the columns. */
export function candleAt(columns: CandleColumns, row: number, intervalMs: number): SourceCandle | undefined {
  const openMs = columns.openMs[row];
  if (openMs === undefined) return undefined;
  const at = (column: Float64Array): number => column[row] ?? 0;
  return {
    openMs,
    closeMs: openMs + intervalMs,
    open: at(columns.open),
    high: at(columns.high),
    low: at(columns.low),
    close: at(columns.close),
    volume: at(columns.volume),
  };
}
