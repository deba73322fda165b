import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { inOrder, railScale } from './rail-scale.ts';

test('every given price lies on the rail, in order', () => {
  const level = fc.double({ min: 0.0001, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(fc.array(level, { minLength: 1, maxLength: 4 }), (prices) => {
      const scale = railScale(prices, prices[0] ?? 1);
      assert.ok(scale !== undefined);
      const sorted = prices.toSorted((a, b) => a - b).map((price) => scale.at(price));
      assert.ok(sorted.every((at) => at >= 0 && at <= 100));
      assert.deepEqual(
        sorted,
        sorted.toSorted((a, b) => a - b),
      );
      assert.ok(scale.marks.length <= 60);
    }),
  );
});

test('graduations stand at whole percents of the cost, long ones at fives', () => {
  const scale = railScale([90, 100, 108], 100);
  assert.ok(scale !== undefined);
  assert.equal(scale.marks.filter((mark) => mark.long).length, 4);
  const cost = scale.at(100);
  assert.ok(scale.marks.some((mark) => mark.long && Math.abs(mark.at - cost) < 1e-9));
});

test('one lone price stands in the middle; no price gives no rail', () => {
  assert.equal(Math.round(railScale([100], 100)?.at(100) ?? 0), 50);
  assert.equal(railScale([], 100), undefined);
  assert.equal(railScale([Number.NaN], 100), undefined);
});

test('of average price and price the lower one has its label on the left', () => {
  const [average, price] = [
    { words: 'average price', price: '100.00' },
    { words: 'price', price: '90.00' },
  ];
  assert.deepEqual(
    inOrder([average, price]).map(({ words }) => words),
    ['price', 'average price'],
  );
});
