import type { CandleColumns } from './candle.ts';

export const EMPTY_COLUMNS: CandleColumns = {
  openMs: new Float64Array(0),
  open: new Float64Array(0),
  high: new Float64Array(0),
  low: new Float64Array(0),
  close: new Float64Array(0),
  volume: new Float64Array(0),
};

/** Columns of zeros in memory that threads share. */
export function sharedColumns(rows: number): CandleColumns {
  const column = (): Float64Array => new Float64Array(new SharedArrayBuffer(rows * Float64Array.BYTES_PER_ELEMENT));
  const [openMs, open, high, low, close, volume] = [column(), column(), column(), column(), column(), column()];
  return { openMs, open, high, low, close, volume };
}

/** Rows `start` (inclusive) to `end` (exclusive), sharing the memory of `columns`. */
export function sliceColumns(columns: CandleColumns, start: number, end: number): CandleColumns {
  return {
    openMs: columns.openMs.subarray(start, end),
    open: columns.open.subarray(start, end),
    high: columns.high.subarray(start, end),
    low: columns.low.subarray(start, end),
    close: columns.close.subarray(start, end),
    volume: columns.volume.subarray(start, end),
  };
}

/** Joins consecutive parts to one series. */
export function joinColumns(parts: readonly CandleColumns[]): CandleColumns {
  const [only] = parts;
  if (parts.length <= 1) return only ?? EMPTY_COLUMNS;
  const join = (pick: (columns: CandleColumns) => Float64Array): Float64Array => {
    const joined = new Float64Array(parts.reduce((sum, part) => sum + part.openMs.length, 0));
    let at = 0;
    for (const part of parts) {
      joined.set(pick(part), at);
      at += part.openMs.length;
    }
    return joined;
  };
  return {
    openMs: join((c) => c.openMs),
    open: join((c) => c.open),
    high: join((c) => c.high),
    low: join((c) => c.low),
    close: join((c) => c.close),
    volume: join((c) => c.volume),
  };
}

/** Index of the first element not below `value` in ascending numbers. O(1) for evenly spaced values such as candles. */
export function lowerBound(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  if (high > 1) {
    const [first = 0, second = 0] = [sorted[0], sorted[1]];
    const even = Math.ceil((value - first) / (second - first));
    if (even > 0 && even < high && (sorted[even - 1] ?? 0) < value && (sorted[even] ?? 0) >= value) return even;
  }
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
