import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commonSpan, equityAt, holdingAt, luckOfDifference, momentsOf, wholeSpan } from './compare-series.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 1);
const iso = (day: number): string => new Date(START + day * DAY_MS).toISOString();
const window = (from: number, to: number) => ({ from: iso(from), to: iso(to) });

/** A point at the end of each day. */
const curveOf = (equities: readonly number[]) => ({
  balance: '100',
  equityCurve: equities.map((equity, day) => ({ at: iso(day + 1), equity, price: 2 * equity })),
});

test('the common period is where all runs overlap, and there may be none', () => {
  assert.deepEqual(commonSpan([window(0, 30), window(10, 40)]), {
    fromMs: START + 10 * DAY_MS,
    toMs: START + 30 * DAY_MS,
  });
  assert.equal(commonSpan([window(0, 5), window(5, 9)]), undefined);
  assert.deepEqual(wholeSpan([window(0, 5), window(5, 9)]), { fromMs: START, toMs: START + 9 * DAY_MS });
});

test('equity is a multiple of its value at the first moment, with the last point before each', () => {
  const curve = curveOf([110, 121, 133.1]);
  const moments = [1, 1.5, 2, 3].map((day) => START + day * DAY_MS);
  assert.deepEqual(
    equityAt(curve, moments).map((value) => value.toFixed(3)),
    ['1.000', '1.000', '1.100', '1.210'],
  );
});

test('before its first point a run has its balance', () => {
  assert.deepEqual(equityAt(curveOf([110]), [START, START + DAY_MS]), [1, 1.1]);
});

test('buy and hold follows the price', () => {
  assert.deepEqual(
    holdingAt(curveOf([100, 150]), momentsOf({ fromMs: START + DAY_MS, toMs: START + 2 * DAY_MS }, 1)),
    [1, 1.5],
  );
});

const wave = (day: number): number => Math.sin(day * 1.7) / 100;
const grown = (daily: (day: number) => number, days = 60) => {
  let equity = 100;
  return curveOf(Array.from({ length: days }, (_, day) => (equity *= 1 + daily(day))));
};
const span = (days: number) => ({ fromMs: START, toMs: START + days * DAY_MS });

test('a run that is better on each day is beyond luck, one that swings around the other is not', () => {
  const flat = grown(() => 0);
  const better = grown((day) => 0.004 + wave(day) / 10);
  const swings = grown((day) => wave(day) + 0.0005);
  assert.ok((luckOfDifference(flat, better, span(60)) ?? 1) < 0.001);
  assert.ok((luckOfDifference(flat, swings, span(60)) ?? 0) > 0.3);
});

test('equal runs and short periods have no measured luck', () => {
  const run = grown(wave);
  assert.equal(luckOfDifference(run, run, span(60)), null);
  assert.equal(
    luckOfDifference(
      run,
      grown(() => 0),
      span(9),
    ),
    null,
  );
});
