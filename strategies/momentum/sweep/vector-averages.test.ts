import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createEma } from '#core/indicators/ema.ts';
import type { LineIndicator } from '#core/indicators/indicator.ts';
import { createSma } from '#core/indicators/sma.ts';
import { BLOCK, type Column, emaColumn, fillEmas, smaColumn } from './vector-averages.ts';

const CLOSES = 3 * BLOCK + 100;
/** Of all the digits that a number has, so that sums are rounded. */
const closesOf = (seed: number): Float64Array => {
  let state = seed >>> 0;
  return Float64Array.from({ length: CLOSES }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 100 * Math.exp(state / 2 ** 33);
  });
};

/** Every value of some columns, block by block, from the first candle that any of them sees. */
function through(
  columns: readonly Column[],
  closes: Float64Array,
  fill: (from: number, to: number) => void,
): number[][] {
  const found = columns.map((): number[] => []);
  for (let from = 0; from < CLOSES; from += BLOCK) {
    const to = Math.min(CLOSES, from + BLOCK);
    fill(from, to);
    for (const [i, { values }] of columns.entries()) found[i]?.push(...values.subarray(1, to - from + 1));
  }
  return found;
}

function same(
  found: readonly number[] | undefined,
  indicator: LineIndicator,
  closes: Float64Array,
  first: number,
): void {
  for (let k = first; k < CLOSES; k++) {
    indicator.push(closes[k] ?? 0);
    if (indicator.ready)
      assert.ok(Object.is(found?.[k], indicator.value), `${found?.[k]} at ${k} is not ${indicator.value}`);
  }
}

const seeds = fc.nat();
const lengths = fc.array(fc.integer({ min: 1, max: 1500 }), { minLength: 1, maxLength: 6 });
const firsts = fc.integer({ min: 0, max: 200 });

test('simple averages of vector runs equal the indicator to the last bit', () => {
  fc.assert(
    fc.property(seeds, lengths, firsts, (seed, [length = 1], first) => {
      const closes = closesOf(seed);
      const column = smaColumn(length, first);
      const [found] = through([column], closes, (from, to) => column.fill(closes, from, to));
      same(found, createSma(length), closes, first);
    }),
    { numRuns: 60 },
  );
});

test('exponential averages of vector runs equal the indicator to the last bit, however many there are', () => {
  fc.assert(
    fc.property(seeds, lengths, firsts, (seed, several, first) => {
      const closes = closesOf(seed);
      const columns = several.map((length) => emaColumn(length, first));
      const found = through(columns, closes, (from, to) => fillEmas(columns, closes, { from, to }));
      for (const [i, length] of several.entries()) same(found[i], createEma(length), closes, first);
    }),
    { numRuns: 40 },
  );
});
