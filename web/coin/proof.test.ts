import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrderId, ProfileId } from '#core/ids.ts';
import { idSchema } from '#core/id-schema.ts';
import type { AccountId } from '#core/ids.ts';
import { chainOf, costOf, countdown, type Proof } from './proof.ts';

const id = '01a1ff54-c1be-7e36-a1a5-49f27050c950';
const at = (ms: number): string => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
const proof: Proof = {
  verdict: { state: 'proved', sentence: '', wanted: '2', filled: '2', booked: '2', problems: [], certainAt: null },
  order: {
    id: idSchema<OrderId>().parse(id),
    accountId: idSchema<AccountId>().parse(id),
    profileId: idSchema<ProfileId>().parse(id),
    symbol: 'AAABBB',
    side: 'buy',
    purpose: 'entry',
    type: 'market',
    state: 'filled',
    reason: 'entry-first',
    quantity: '2',
    price: null,
    stopPrice: null,
    filledQuantity: '2',
    averageFillPrice: '101',
    clientOrderId: 'tw1-x-e1',
    exchangeOrderId: '7',
    createdAt: at(0),
    updatedAt: at(0),
    recordedAt: at(1),
    sendBefore: at(5000),
    fencing: '3',
    decision: { sentence: 'Buying.', numbers: { price: '100' } },
    payload: null,
    actionId: null,
  },
  evidence: [
    { kind: 'request', at: at(2), detail: {} },
    { kind: 'answer', at: at(49), detail: {} },
  ],
  fills: [1, 2].map((n) => ({
    tradeId: `${n}`,
    orderId: idSchema<OrderId>().parse(id),
    side: 'buy' as const,
    price: '101',
    quantity: '1',
    quoteQuantity: '101',
    feeAmount: '0.1',
    feeAsset: 'BBB',
    feeQuote: '0.1',
    realised: '0',
    at: at(40),
  })),
  ledger: [{ tradeId: '1', book: 'wallet', asset: 'AAA', amount: '1', reason: 'fill', at: at(40) }],
};

test('an order is told link by link, from its decision to the books', () => {
  assert.deepEqual(
    chainOf(proof).map(({ title, state }) => `${title} ${state}`),
    [
      'Decided proved',
      'Approved and recorded proved',
      'Signed and sent proved',
      'Acknowledged by the exchange proved',
      'Filled in 2 parts proved',
      'Recorded in the ledger proved',
    ],
  );
  assert.deepEqual(costOf(proof, 'BBB'), [
    { words: 'Decision price', value: '100.00 BBB' },
    { words: 'Average price', value: '101.00 BBB' },
    { words: 'Slippage', value: '1.000 %' },
    { words: 'Fee', value: '0.2 BBB' },
    { words: 'Latency', value: '47 ms' },
  ]);
});

test('what the exchange told by itself is said, not only that it did', () => {
  const told = (detail: object): string | undefined =>
    chainOf({ ...proof, evidence: [{ kind: 'event', at: at(60), detail }] }).find(({ title }) => /update/.test(title))
      ?.sentence;
  assert.equal(
    told({ state: 'partially-filled', filledQuantity: '0.5' }),
    'The exchange reported the order partially filled, 0.5 filled.',
  );
  assert.equal(told({ state: 'open', filledQuantity: '0' }), 'The exchange reported the order open, not filled.');
  assert.equal(told({}), 'The exchange reported the order on the account stream.');
});

test('an order without an answer ends with the moment from which it is certain', () => {
  const verdict = { ...proof.verdict, state: 'unknown' as const, certainAt: at(15_000) };
  const last = chainOf({ ...proof, fills: [], ledger: [], verdict }).at(-1);
  assert.deepEqual([last?.title, last?.state, last?.at], ['Confirmation due', 'open', at(15_000)]);
  assert.deepEqual([countdown(11_400), countdown(-5), countdown(61_000)], ['0:12', '0:00', '1:01']);
});
