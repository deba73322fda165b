import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GRID, heldView } from '#strategies/test-view.ts';
import { createInstance } from './instance.ts';

test('hold never trades, whatever the price does', () => {
  const instance = createInstance({}, GRID);
  for (const price of [1, 100, 1_000_000]) {
    const decision = instance.decide(heldView({ price }));
    assert.deepEqual(decision, { kind: 'nothing', reason: 'hold-by-design' });
  }
});
