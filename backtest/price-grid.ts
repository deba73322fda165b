import type { CandleColumns } from '#core/market/candle.ts';
import { type Extremes, extremesOf } from '#core/market/extremes.ts';

/** Prices of a series in whole ticks, rounded to the nearest, with extremes for lookups over long spans. */
export interface PriceGrid {
  readonly closeTicks: Float64Array;
  readonly lowTicks: Float64Array;
  /** In quote. */
  readonly closes: Extremes;
  readonly lows: Extremes;
  /** Rows whose close does not lie on the grid. */
  readonly offGrid: readonly number[];
}

/** Computed once for all runs over the same candles. */
const known = new WeakMap<CandleColumns, { readonly tick: number; readonly grid: PriceGrid }>();

export function priceGrid(columns: CandleColumns, tick: number): PriceGrid {
  const found = known.get(columns);
  if (found?.tick === tick) return found.grid;
  const { close, low } = columns;
  const offGrid: number[] = [];
  const closeTicks = new Float64Array(close.length);
  const lowTicks = new Float64Array(close.length);
  for (let row = 0; row < close.length; row++) {
    const exact = (close[row] ?? 0) / tick;
    const whole = Math.round(exact);
    closeTicks[row] = whole;
    lowTicks[row] = Math.round((low[row] ?? 0) / tick);
    if (Math.abs(exact - whole) > 1e-6) offGrid.push(row);
  }
  const grid = { closeTicks, lowTicks, closes: extremesOf(close), lows: extremesOf(low), offGrid };
  known.set(columns, { tick, grid });
  return grid;
}
