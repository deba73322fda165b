import type { CandleColumns } from '#core/market/candle.ts';
import { type Extremes, extremesOf } from '#core/market/extremes.ts';

/** The closes of a series, and how they lie on the price grid. */
export interface CloseGrid {
  /** In quote, with extremes for lookups over long spans. */
  readonly closes: Extremes;
  /** Rows whose close does not lie on the grid. */
  readonly offGrid: readonly number[];
}

/** Prices of a series in whole ticks, rounded to the nearest. */
export interface PriceGrid extends CloseGrid {
  readonly closeTicks: Float64Array;
  readonly lowTicks: Float64Array;
  readonly lows: Extremes;
}

/** Computes once for all runs over the same candles. */
function onceFor<T>(compute: (columns: CandleColumns, tick: number) => T): (columns: CandleColumns, tick: number) => T {
  const known = new WeakMap<CandleColumns, { readonly tick: number; readonly value: T }>();
  return (columns, tick) => {
    const found = known.get(columns);
    if (found?.tick === tick) return found.value;
    const value = compute(columns, tick);
    known.set(columns, { tick, value });
    return value;
  };
}

export const closeGrid = onceFor(({ close }, tick): CloseGrid => {
  const offGrid: number[] = [];
  for (let row = 0; row < close.length; row++) {
    const exact = (close[row] ?? 0) / tick;
    if (Math.abs(exact - Math.round(exact)) > 1e-6) offGrid.push(row);
  }
  return { closes: extremesOf(close), offGrid };
});

export const priceGrid = onceFor((columns, tick): PriceGrid => {
  const { close, low } = columns;
  const closeTicks = new Float64Array(close.length);
  const lowTicks = new Float64Array(close.length);
  for (let row = 0; row < close.length; row++) {
    closeTicks[row] = Math.round((close[row] ?? 0) / tick);
    lowTicks[row] = Math.round((low[row] ?? 0) / tick);
  }
  return { ...closeGrid(columns, tick), closeTicks, lowTicks, lows: extremesOf(low) };
});

/** How many closes of rows `start` to `end` do not lie on the grid. */
export const offGridIn = ({ offGrid }: CloseGrid, start: number, end: number): number =>
  offGrid.filter((row) => row >= start && row < end).length;
