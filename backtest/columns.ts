import { type CandleColumns, INTERVAL_MS, type Interval } from '#core/market/candle.ts';
import { lowerBound, sliceColumns } from '#core/market/candle-columns.ts';

/** The candles of one coin at one interval. */
export interface Series {
  readonly interval: Interval;
  readonly columns: CandleColumns;
}

/** How complete a series is between its first and last candle. */
interface Coverage {
  readonly candles: number;
  readonly missing: number;
  readonly gaps: number;
  readonly longestGapMs: number;
}

/**
 * Aggregates candles to a coarser interval. A bucket that starts before the data or ends after it is dropped, because its
 * low and close are unknown. A bucket with a gap inside is kept. A bucket without candles stays missing. Throws RangeError
 * when `to` is not a multiple.
 */
export function aggregateSeries({ interval, columns }: Series, to: Interval): Series {
  if (interval === to) return { interval, columns };
  const bucketMs = INTERVAL_MS[to];
  const stepMs = INTERVAL_MS[interval];
  if (bucketMs % stepMs !== 0) throw new RangeError(`${interval} candles do not add up to ${to} candles`);
  const rows = columns.openMs.length;
  const sums = emptyColumns(rows);
  const firstMs = columns.openMs[0] ?? 0;
  const whollyAfterMs = firstMs % bucketMs === 0 ? firstMs : firstMs - (firstMs % bucketMs) + bucketMs;
  let count = 0;
  for (let row = 0; row < rows; row++) {
    const openMs = columns.openMs[row] ?? 0;
    const bucket = openMs - (openMs % bucketMs);
    if (count > 0 && sums.openMs[count - 1] === bucket) addTo(sums, count - 1, { columns, row });
    else if (bucket >= whollyAfterMs) {
      startIn(sums, count, { columns, row, bucket });
      count += 1;
    }
  }
  const endMs = (columns.openMs[rows - 1] ?? 0) + stepMs;
  const cut = count > 0 && (sums.openMs[count - 1] ?? 0) + bucketMs > endMs;
  return { interval: to, columns: sliceColumns(sums, 0, cut ? count - 1 : count) };
}

/**
 * Adds candles of other series of the coin before the series and in its gaps. The other series have the same interval or
 * a finer one. Candles of the series itself stay as they are. Returns the same object when there is nothing to add.
 */
export function withHistory(series: Series, history: readonly Series[]): Series {
  const { interval } = series;
  return history
    .filter((other) => INTERVAL_MS[interval] % INTERVAL_MS[other.interval] === 0)
    .reduce((known, other) => merged(known, aggregateSeries(other, interval)), series);
}

/** Merges by time. Where both hold a candle, the first one wins. */
function merged(first: Series, second: Series): Series {
  const own = new Set(first.columns.openMs);
  const times = Float64Array.from(own.union(new Set(second.columns.openMs))).toSorted();
  if (times.length === own.size) return first;
  const columns = emptyColumns(times.length);
  const rows = { first: 0, second: 0 };
  for (const [row, ms] of times.entries()) {
    const [inFirst, inSecond] = [first.columns.openMs[rows.first] === ms, second.columns.openMs[rows.second] === ms];
    const from = inFirst ? { columns: first.columns, row: rows.first } : { columns: second.columns, row: rows.second };
    startIn(columns, row, { ...from, bucket: ms });
    if (inFirst) rows.first += 1;
    if (inSecond) rows.second += 1;
  }
  return { interval: first.interval, columns };
}

export const emptyColumns = (rows: number): CandleColumns => ({
  openMs: new Float64Array(rows),
  open: new Float64Array(rows),
  high: new Float64Array(rows),
  low: new Float64Array(rows),
  close: new Float64Array(rows),
  volume: new Float64Array(rows),
});

interface Source {
  readonly columns: CandleColumns;
  readonly row: number;
}

function startIn(sums: CandleColumns, at: number, { columns, row, bucket }: Source & { bucket: number }): void {
  sums.openMs[at] = bucket;
  sums.open[at] = columns.open[row] ?? 0;
  sums.high[at] = columns.high[row] ?? 0;
  sums.low[at] = columns.low[row] ?? 0;
  sums.close[at] = columns.close[row] ?? 0;
  sums.volume[at] = columns.volume[row] ?? 0;
}

function addTo(sums: CandleColumns, at: number, { columns, row }: Source): void {
  sums.high[at] = Math.max(sums.high[at] ?? 0, columns.high[row] ?? 0);
  sums.low[at] = Math.min(sums.low[at] ?? 0, columns.low[row] ?? 0);
  sums.close[at] = columns.close[row] ?? 0;
  sums.volume[at] = (sums.volume[at] ?? 0) + (columns.volume[row] ?? 0);
}

/** Counts the missing candles between rows `start` and `end`. */
export function coverageOf({ interval, columns }: Series, start: number, end: number): Coverage {
  const stepMs = INTERVAL_MS[interval];
  let missing = 0;
  let gaps = 0;
  let longestGapMs = 0;
  const spanMs = (columns.openMs[end - 1] ?? 0) - (columns.openMs[start] ?? 0);
  const whole = spanMs === (end - 1 - start) * stepMs;
  for (let row = whole ? end : start + 1; row < end; row++) {
    const lackMs = (columns.openMs[row] ?? 0) - (columns.openMs[row - 1] ?? 0) - stepMs;
    if (lackMs <= 0) continue;
    gaps += 1;
    missing += Math.round(lackMs / stepMs);
    longestGapMs = Math.max(longestGapMs, lackMs);
  }
  return { candles: Math.max(0, end - start), missing, gaps, longestGapMs };
}

/** Candles wholly inside a time span: how many exist, and how many there would be without a gap. */
export function countInside({ interval, columns }: Series, fromMs: number, toMs: number) {
  const lengthMs = INTERVAL_MS[interval];
  const have = Math.max(0, lowerBound(columns.openMs, toMs - lengthMs + 1) - lowerBound(columns.openMs, fromMs));
  return { have, whole: Math.max(0, Math.floor(toMs / lengthMs) - Math.ceil(fromMs / lengthMs)) };
}
