import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createBollinger } from './bollinger.ts';
import { createMomentum } from './momentum.ts';
import { createSma } from './sma.ts';
import { createVwma } from './vwma.ts';
import { createWindowDeviation } from './window-deviation.ts';
import { createWindowRange } from './window-range.ts';
import { createWindowSum } from './window-sum.ts';
import { createWma } from './wma.ts';
import { createZScore } from './z-score.ts';

const price = fc.double({ min: 1e-6, max: 1e5, noNaN: true });
const prices = fc.array(price, { minLength: 1, maxLength: 150, size: 'max' });
const lengths = fc.integer({ min: 1, max: 40 });

const sum = (list: readonly number[]): number => list.reduce((total, value) => total + value, 0);
const mean = (list: readonly number[]): number => sum(list) / list.length;
const deviation = (list: readonly number[]): number => {
  const middle = mean(list);
  return Math.sqrt(mean(list.map((value) => (value - middle) ** 2)));
};
const weighted = (list: readonly number[]): number =>
  sum(list.map((value, i) => value * (i + 1))) / ((list.length * (list.length + 1)) / 2);

/** Equal within 1e-9 of the largest number that went in. */
function assertNear(actual: number, expected: number, scale: number): void {
  assert.ok(Math.abs(actual - expected) <= 1e-9 * Math.max(scale, 1), `${actual} is not ${expected}`);
}

/** Pushes `list` and compares with the window computed from nothing, after each value. */
function compare(
  list: readonly number[],
  length: number,
  { push, read, naive }: { push(value: number): void; read(): number; naive(window: readonly number[]): number },
): void {
  for (const [i, value] of list.entries()) {
    push(value);
    if (i + 1 < length) assert.ok(Number.isNaN(read()));
    else assertNear(read(), naive(list.slice(i + 1 - length, i + 1)), Math.max(...list.slice(0, i + 1)));
  }
}

test('the running windows equal the same window computed from nothing', () => {
  fc.assert(
    fc.property(prices, lengths, (list, length) => {
      const sma = createSma(length);
      compare(list, length, { push: sma.push, read: () => sma.value, naive: mean });
      const wma = createWma(length);
      compare(list, length, { push: wma.push, read: () => wma.value, naive: weighted });
      const sums = createWindowSum(length);
      compare(list, length, { push: sums.push, read: sums.sum, naive: sum });
      const spread = createWindowDeviation(length);
      compare(list, length, { push: spread.push, read: spread.deviation, naive: deviation });
      const momentum = createMomentum(length);
      const naive = (window: readonly number[]): number => (window.at(-1) ?? 0) - (window[0] ?? 0);
      compare(list, length + 1, { push: momentum.push, read: () => momentum.value, naive });
    }),
    { numRuns: 200 },
  );
});

test('highest and lowest equal those of the same window computed from nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(price, price), { minLength: 1, maxLength: 150 }), lengths, (list, length) => {
      const range = createWindowRange(length);
      for (const [i, [high, low]] of list.entries()) {
        range.push(high, low);
        const window = list.slice(Math.max(0, i + 1 - length), i + 1);
        const full = i + 1 >= length;
        assert.equal(range.high, full ? Math.max(...window.map(([top]) => top)) : Number.NaN);
        assert.equal(range.low, full ? Math.min(...window.map(([, bottom]) => bottom)) : Number.NaN);
      }
    }),
  );
});

/** A price that wanders for a million minutes, the same in every run. */
function* wander(count: number): Generator<number> {
  let seed = 12345;
  let value = 30_000;
  for (let i = 0; i < count; i += 1) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    value = Math.max(1, value + (seed / 2_147_483_648 - 0.5) * 20);
    yield value;
  }
}

test('a million values later nothing has drifted', () => {
  const length = 50;
  const recent: number[] = [];
  const sma = createSma(length);
  const wma = createWma(length);
  const sums = createWindowSum(length);
  const spread = createWindowDeviation(length);
  for (const value of wander(1_000_000)) {
    for (const window of [sma, wma, sums, spread]) window.push(value);
    recent.push(value);
    if (recent.length > 2 * length) recent.splice(0, length);
  }
  const window = recent.slice(-length);
  const near = (actual: number, expected: number): void =>
    assert.ok(Math.abs(actual / expected - 1) < 1e-12, `${actual} is not ${expected}`);
  near(sma.value, mean(window));
  near(wma.value, weighted(window));
  near(sums.sum(), sum(window));
  near(spread.deviation(), deviation(window));
});

test('the sum of the simple average is made anew from the ring after every 1,024th value', () => {
  const sma = createSma(3);
  for (let i = 0; i < 1021; i += 1) sma.push(1e16);
  for (const value of [1, 1]) sma.push(value);
  assert.notEqual(sma.state()['sum'], 1e16 + 2);
  sma.push(1);
  assert.equal(sma.value, 1);
});

test('what left a window leaves no trace, however large it was', () => {
  const sums = createWindowSum(3);
  const spread = createWindowDeviation(3);
  const vwma = createVwma(3);
  for (const value of [1e17, 3, 1e17, 0.1, 0.1, 0.1]) {
    sums.push(value);
    spread.push(value);
    vwma.push(value, value);
  }
  assert.equal(sums.sum(), 0.1 + 0.1 + 0.1);
  assert.equal(spread.deviation(), 0);
  assert.equal(spread.mean(), 0.1);
  for (const value of [4, 5, 6]) vwma.push(value, 0);
  assert.equal(vwma.value, 5);
});

test('equal values have no deviation at all, at any price', () => {
  fc.assert(
    fc.property(price, prices, lengths, (value, before, length) => {
      const bands = createBollinger({ length, deviations: 2 });
      const score = createZScore(length);
      for (const item of [...before, ...Array.from({ length: 2 * length }, () => value)]) {
        bands.push(item);
        score.push(item);
      }
      assert.deepEqual([bands.lower, bands.middle, bands.upper, score.value], [value, value, value, 0]);
    }),
  );
});
