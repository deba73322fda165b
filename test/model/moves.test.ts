import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ORDER_STATES } from '#core/order/order.ts';
import { ORDER_MOVES } from '#storage/trading/order-moves.ts';

const text = readFileSync(join(import.meta.dirname, 'orders.qnt'), 'utf8');
const moves = Array.from(text.matchAll(/\{ before: "([\w-]+)", step: "\w+", after: "([\w-]+)" \}/g), ([, a, b]) => [
  a,
  b,
]);

test('the database allows every move of the model', () => {
  assert.ok(moves.length > 10);
  const changes = moves.filter(([before, after]) => before !== after);
  const wrong = changes.filter(
    ([before, after]) =>
      !ORDER_STATES.some((state) => state === before && ORDER_MOVES[state].some((to) => to === after)),
  );
  assert.deepEqual(wrong, []);
});

test('the model has every state of an order', () => {
  assert.deepEqual(new Set(moves.flat()), new Set(ORDER_STATES));
});
