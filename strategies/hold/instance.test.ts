import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireDecimal } from '#core/decimal.ts';
import { createInstance } from './instance.ts';

test('hold never trades, whatever the price does', () => {
  const instance = createInstance({}, { tick: requireDecimal('0.01'), step: requireDecimal('1') });
  const view = { nowMs: 0, priceAgeMs: 0, firstBuyFillMs: 0, cycle: 1, target: 0, takerFee: 0, makerFee: 0 };
  const state = {
    entryOrderOpen: false,
    waiting: null,
    peakLots: 5,
    exitOrderOpen: false,
    readable: true,
    sellable: true,
  };
  for (const price of [1, 100, 1_000_000]) {
    const decision = instance.decide({ ...view, ...state, price, lots: 5, avgTicks: 100 });
    assert.deepEqual(decision, { kind: 'nothing', reason: 'hold-by-design' });
  }
});
