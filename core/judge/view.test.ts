import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireDecimal as d, ZERO } from '#core/amount/decimal.ts';
import type { LevelFill } from '#core/position/levels.ts';
import type { Position } from '#core/position/position.ts';
import { HELD, NOW, READY } from '#test/harness/situation.ts';
import { openView, type TickView, viewPosition } from './view.ts';

const viewOf = (position: Position, levels: readonly LevelFill[] = []): TickView => {
  const view = openView();
  const { rules, terms } = READY;
  viewPosition(view, { position, levels, rules, terms, baseFeeRate: () => 0.001 });
  return view;
};
const filled = (level: number, filledQuote: string): LevelFill => ({
  level,
  plannedQuote: d('100'),
  filledQuote: d(filledQuote),
});

test('a position is seen in whole lots and ticks', () => {
  const { lots, peakLots, avgTicks, sellable, firstBuyFillMs } = viewOf({ ...HELD, peakQuantity: d('0.020009') });
  assert.deepEqual([lots, peakLots, avgTicks, sellable], [1000, 2000, 3_000_000, true]);
  assert.equal(firstBuyFillMs, NOW.getTime());
});

test('the rest of a closed cycle is not seen', () => {
  const { lots, peakLots, avgTicks, sellable, target } = viewOf({ ...HELD, firstBuyAt: null }, [filled(0, '100')]);
  assert.deepEqual([lots, peakLots, avgTicks, sellable, target], [0, 0, 0, false, 0]);
});

test('a rest that cannot be sold is not sellable', () => {
  assert.equal(viewOf({ ...HELD, quantity: d('0.0001') }).sellable, false);
});

test('the next level follows the highest one that filled by half', () => {
  assert.deepEqual([viewOf(HELD, [filled(0, '99'), filled(1, '50')]).target], [2]);
  assert.deepEqual([viewOf(HELD, [filled(0, '99'), filled(1, '49')]).target], [1]);
});

test('a position without fills of its own counts as the first level', () => {
  assert.equal(viewOf(HELD).target, 1);
});

test('a position at an average price of zero completes a level by half of its plan alone', () => {
  assert.equal(viewOf({ ...HELD, averagePrice: ZERO }, [filled(0, '50')]).target, 1);
});
