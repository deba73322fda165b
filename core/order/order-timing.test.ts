import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certainFrom, ORDER_TIMING } from './order-timing.ts';

test('an order is certainly not on its way 16 s after the last moment at which it may be signed', () => {
  assert.equal(certainFrom(1_000, ORDER_TIMING), 17_000);
});

test('no part of the way is left out of the certainty', () => {
  for (const part of ['receiveWindowMs', 'engineTimeoutMs', 'clockMarginMs'] as const) {
    assert.equal(certainFrom(0, { ...ORDER_TIMING, [part]: ORDER_TIMING[part] + 7 }), 16_007);
  }
});
