import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrderId } from '#core/ids.ts';
import { orderGroups } from './order-groups.ts';

type Row = Parameters<typeof orderGroups>[0][number];

const row = (purpose: string, state: string, side: 'buy' | 'sell' = 'sell', symbol = 'BTCUSDT'): Row => ({
  order: {
    ...{ id: crypto.randomUUID() as OrderId, symbol, side, purpose, type: 'LIMIT', state, reason: '', quantity: '1' },
    ...{ price: '1', stopPrice: null, filledQuantity: state === 'filled' ? '1' : '0', averageFillPrice: null },
    ...{ clientOrderId: '', exchangeOrderId: null, createdAt: '', updatedAt: '' },
  },
});
const shape = (rows: readonly Row[]): (readonly [string, number])[] =>
  orderGroups(rows).map((group) => [`${group.row.order.purpose} ${group.row.order.state}`, group.replaced.length]);

test('cancelled stops are under the stop that followed them', () => {
  const moved = [
    row('stop', 'open'),
    row('stop', 'cancelled'),
    row('stop', 'cancelled'),
    row('entry', 'filled', 'buy'),
  ];
  assert.deepEqual(shape(moved), [
    ['stop open', 2],
    ['entry filled', 0],
  ]);
});

test('a stop that sold has the stops of its own trade', () => {
  const two = [
    ...[row('stop', 'open'), row('entry', 'filled', 'buy')],
    ...[row('stop', 'filled'), row('stop', 'cancelled'), row('entry', 'filled', 'buy')],
  ];
  assert.deepEqual(shape(two), [
    ['stop open', 0],
    ['entry filled', 0],
    ['stop filled', 1],
    ['entry filled', 0],
  ]);
});

test('the last stop of a trade that was sold otherwise is not one of the next trade', () => {
  const sold = [row('stop', 'open'), row('entry', 'filled', 'buy'), row('manual', 'filled'), row('stop', 'cancelled')];
  assert.deepEqual(shape(sold), [
    ['stop open', 0],
    ['entry filled', 0],
    ['manual filled', 0],
    ['stop cancelled', 0],
  ]);
});

test('stops of another coin stay where they are', () => {
  assert.deepEqual(shape([row('stop', 'open'), row('stop', 'cancelled', 'sell', 'ETHUSDT')]), [
    ['stop open', 0],
    ['stop cancelled', 0],
  ]);
});
