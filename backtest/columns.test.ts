import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aggregateSeries, coverageOf, type Series } from './columns.ts';
import { priceGrid } from './price-grid.ts';

const MINUTE_MS = 60_000;

/** One-minute candles at the given minutes; candle m is open m, high m + 2, low m - 1, close m + 1, volume 1. */
function minutesAt(...minutes: number[]): Series {
  const at = (by: number): Float64Array => Float64Array.from(minutes, (minute) => 100 + minute + by);
  const openMs = Float64Array.from(minutes, (minute) => minute * MINUTE_MS);
  const volume = openMs.map(() => 1);
  return { interval: '1m', columns: { openMs, open: at(0), high: at(2), low: at(-1), close: at(1), volume } };
}

const rowsOf = ({ columns: c }: Series): number[][] =>
  Array.from(c.openMs, (openMs, i) =>
    [openMs / MINUTE_MS, c.open[i], c.high[i], c.low[i], c.close[i], c.volume[i]].map(Number),
  );

test('three minutes make a 3m candle', () => {
  const sums = aggregateSeries(minutesAt(3, 4, 5, 6, 7, 8), '3m');
  assert.equal(sums.interval, '3m');
  assert.deepEqual(rowsOf(sums), [
    [3, 103, 107, 102, 106, 3],
    [6, 106, 110, 105, 109, 3],
  ]);
});

test('buckets cut by the beginning or the end of the data are left out', () => {
  assert.deepEqual(rowsOf(aggregateSeries(minutesAt(1, 2, 3, 4, 5, 6, 7), '3m')), [[3, 103, 107, 102, 106, 3]]);
  assert.deepEqual(rowsOf(aggregateSeries(minutesAt(1, 2), '3m')), []);
});

test('a bucket with a hole is kept, an empty one stays missing', () => {
  assert.deepEqual(rowsOf(aggregateSeries(minutesAt(0, 2, 9, 10, 11), '3m')), [
    [0, 100, 104, 99, 103, 2],
    [9, 109, 113, 108, 112, 3],
  ]);
  assert.deepEqual(rowsOf(aggregateSeries(minutesAt(0, 4, 5), '3m')), [
    [0, 100, 102, 99, 101, 1],
    [3, 104, 107, 103, 106, 2],
  ]);
});

test('intervals that do not fit into each other throw', () => {
  const series: Series = { ...minutesAt(0, 3), interval: '3m' };
  assert.throws(() => aggregateSeries(series, '5m'), /3m candles do not add up to 5m candles/);
});

test('coverage counts what is missing between the first and the last candle', () => {
  const series = minutesAt(0, 1, 4, 5, 15);
  assert.deepEqual(coverageOf(series, 0, 5), { candles: 5, missing: 11, gaps: 2, longestGapMs: 9 * MINUTE_MS });
  assert.deepEqual(coverageOf(series, 2, 4), { candles: 2, missing: 0, gaps: 0, longestGapMs: 0 });
});

test('prices become whole ticks; those off the grid are counted', () => {
  const prices = Float64Array.of(0.07, 1.005, 69_000.01);
  const columns = { openMs: prices, open: prices, high: prices, low: prices, close: prices, volume: prices };
  const { closeTicks, lowTicks, offGrid } = priceGrid(columns, 0.01);
  assert.deepEqual([...closeTicks], [7, 100, 6_900_001]);
  assert.deepEqual([lowTicks, offGrid], [closeTicks, [1]]);
});
