import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireDecimal } from '#core/amount/decimal.ts';
import { hasMoved } from './proposal.ts';

const moved = (previewed: string, price: string): boolean => hasMoved(requireDecimal(previewed), requireDecimal(price));

test('a price that moved by one percent is still the one of the preview', () => {
  assert.deepEqual([moved('60000', '60600'), moved('60000', '59400'), moved('60000', '60000')], [false, false, false]);
});

test('a price that moved by more than one percent is not', () => {
  assert.deepEqual([moved('60000', '60600.01'), moved('60000', '59399.99')], [true, true]);
});
