import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Decimal, requireDecimal as d } from '#core/amount/decimal.ts';
import { foldLevel, type LevelFill, remainingOf, targetOf } from './levels.ts';

const bought = (level: number | null, planned: string, quote: string) => ({
  level,
  plannedQuote: d(planned),
  quoteQuantity: d(quote),
});
const LEAST: Decimal = d('5.62');

test('a level is done at half of its plan; until then it is tried again with the rest (G6)', () => {
  const first = foldLevel([], bought(0, '50', '2'));
  assert.equal(targetOf(first, LEAST), 0);
  assert.deepEqual(remainingOf(first, 0, d('60')), { plannedQuote: d('50'), remaining: d('48') });
  const filled = foldLevel(first, bought(0, '48', '48'));
  assert.deepEqual(filled, [{ level: 0, plannedQuote: d('50'), filledQuote: d('50') }]);
  assert.equal(targetOf(filled, LEAST), 1);
  assert.deepEqual(remainingOf(filled, 1, d('30')), { plannedQuote: d('30'), remaining: d('30') });
});

const cases: readonly [string, readonly ReturnType<typeof bought>[], number][] = [
  ['nothing bought', [], 0],
  ['half of the plan', [bought(0, '50', '25')], 1],
  ['just below half of the plan', [bought(0, '50', '24.99')], 0],
  ['half of a plan that is too small to be sold again', [bought(0, '8', '5')], 0],
  ['the highest level that is done', [bought(0, '50', '50'), bought(1, '50', '50'), bought(2, '50', '3')], 2],
  ['a buy outside the levels', [bought(null, '0', '9')], 1],
  ['a buy outside the levels under a higher level', [bought(1, '50', '50'), bought(null, '0', '9')], 2],
];
for (const [name, buys, target] of cases) {
  test(`the next level after ${name} is ${target}`, () => {
    const levels = buys.reduce<LevelFill[]>(foldLevel, []);
    assert.equal(targetOf(levels, LEAST), target);
  });
}

test('a level that spent more than its plan has nothing left', () => {
  const levels = foldLevel([], bought(0, '50', '50.01'));
  assert.equal(remainingOf(levels, 0, d('50')).remaining, d('0'));
});
