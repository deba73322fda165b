import assert from 'node:assert/strict';
import test from 'node:test';
import { cancelIdOf } from '#core/order/order.ts';
import type { UnreadOrder } from '#core/order/order-list.ts';
import { proofFromLists } from './resolve.ts';

const OWN = 'tw1-0123456789abc-e1';
const unread = (clientOrderId: string | null): UnreadOrder => ({
  symbol: 'BTCUSDT',
  clientOrderId,
  exchangeOrderId: '7',
  cause: 'It has an unknown status.',
});
const proof = (...orders: UnreadOrder[]) =>
  proofFromLists(
    [
      { orders: [], unread: [] },
      { orders: [], unread: orders },
    ],
    OWN,
  ).kind;

test('an order is absent only when no listed order that could not be read may be it', () => {
  assert.equal(proof(), 'absent');
  assert.equal(proof(unread('web_1')), 'absent');
  assert.equal(proof(unread(OWN)), 'unclear');
  assert.equal(proof(unread(cancelIdOf(OWN))), 'unclear');
  assert.equal(proof(unread('web_1'), unread(null)), 'unclear');
});
