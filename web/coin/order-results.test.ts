import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal } from '#core/amount/decimal.ts';
import { idSchema } from '#core/id-schema.ts';
import type { OrderId } from '#core/ids.ts';
import { orderResults } from './order-results.ts';

type Orders = Parameters<typeof orderResults>[0];
type Fills = Parameters<typeof orderResults>[1];

const id = idSchema<OrderId>().parse('01a1ff54-c1be-7e36-a1a5-49f27050c950');

const order = (side: 'buy' | 'sell', filledQuantity: string): Orders[number] => ({
  ...{ id, symbol: 'AAABBB', side, purpose: 'exit', type: 'MARKET', state: 'filled', reason: '', quantity: '2' },
  ...{ price: '1', stopPrice: null, filledQuantity, averageFillPrice: null },
  ...{ clientOrderId: '', exchangeOrderId: null, createdAt: '', updatedAt: '' },
});

const fill = (side: 'buy' | 'sell', realised: string, feeQuote: string | null): Fills[number] => ({
  ...{ tradeId: crypto.randomUUID(), orderId: id, side, price: '1', quantity: '1', quoteQuantity: '1' },
  ...{ feeAmount: '0.1', feeAsset: 'CCC', feeQuote, realised, at: '' },
});

function resultOf(side: 'buy' | 'sell', filled: string, fills: Fills): readonly (string | null)[] | undefined {
  const result = orderResults([order(side, filled)], fills).get(id);
  return result && [result.fee, result.pnl].map((value) => value && formatDecimal(value));
}

test('a sale has the fees and the P&L of all its fills', () => {
  assert.deepEqual(resultOf('sell', '2', [fill('sell', '1.5', '0.2'), fill('sell', '-0.25', '0.3')]), ['0.5', '1.25']);
});

test('a buy has fees and no P&L', () => {
  assert.deepEqual(resultOf('buy', '1', [fill('buy', '0', '0.2')]), ['0.2', null]);
});

test('a sale has neither while the value of a fee is unknown', () => {
  assert.deepEqual(resultOf('sell', '2', [fill('sell', '1', '0.2'), fill('sell', '1', null)]), [null, null]);
});

test('an order of which not all fills are listed has no result', () => {
  assert.equal(resultOf('sell', '2', [fill('sell', '1', '0.2')]), undefined);
});

test('an order without a fill has no result', () => {
  assert.equal(resultOf('sell', '0', []), undefined);
});
