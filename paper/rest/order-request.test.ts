import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pick } from '#test/paper/client.ts';
import { openRestTestExchange } from '#test/paper/test-exchange-rest.ts';

const LIMIT = { side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', price: '99', quantity: '1' };
const STOP = { side: 'SELL', type: 'STOP_LOSS', quantity: '1', stopPrice: '95' };
const MAKER = { side: 'BUY', type: 'LIMIT_MAKER', price: '99', quantity: '1' };

for (const { type, params, fields } of [
  { type: 'ACK', params: STOP, fields: ['symbol', 'orderId', 'orderListId', 'clientOrderId', 'transactTime'] },
  { type: 'ACK', params: MAKER, fields: ['symbol', 'orderId', 'orderListId', 'clientOrderId', 'transactTime'] },
]) {
  test(`${params.type} answers ${type} by default`, () => {
    const { body } = openRestTestExchange().request('POST order', params);
    assert.deepEqual(Object.keys(Object(body)), fields);
  });
}

test('optional fields appear only on orders that have them', () => {
  const exchange = openRestTestExchange();
  const strategy = { strategyId: '7', strategyType: '1000000', newOrderRespType: 'RESULT' };
  const trailing = exchange.request('POST order', { ...STOP, trailingDelta: '150', ...strategy }).body;
  assert.deepEqual(
    ['stopPrice', 'trailingDelta', 'trailingTime', 'strategyId', 'strategyType'].map((field) => pick(trailing, field)),
    ['95.00000000', 150, -1, 7, 1_000_000],
  );
  const hidden = exchange.request('POST order', { ...LIMIT, icebergQty: '0.5' }).body;
  assert.equal(pick(hidden, 'icebergQty'), '0.50000000');
  const plain = Object.keys(Object(exchange.request('POST order', LIMIT).body));
  for (const field of ['stopPrice', 'icebergQty', 'trailingDelta', 'strategyId', 'preventedMatches'])
    assert.ok(!plain.includes(field), field);
});

test('both ids of an order must agree, and an order that never filled is archived after 90 days', () => {
  const exchange = openRestTestExchange();
  exchange.request('POST order', { ...MAKER, newClientOrderId: 'mine' });
  const disagree = exchange.request('GET order', { orderId: '1', origClientOrderId: 'yours' }).body;
  assert.deepEqual(disagree, { code: -2039, msg: 'Client order ID is not correct for this order ID.' });
  exchange.request('DELETE order', { orderId: '1' });
  exchange.venue.clock.moveTo?.(exchange.venue.clock.nowMs() + 90 * 86_400_000);
  assert.equal(pick(exchange.request('GET order', { orderId: '1' }).body, 'status'), 'CANCELED');
  exchange.venue.clock.moveTo?.(exchange.venue.clock.nowMs() + 1);
  const msg = 'Order was canceled or expired with no executed qty over 90 days ago and has been archived.';
  assert.deepEqual(exchange.request('GET order', { orderId: '1' }).body, { code: -2026, msg });
});

test('an order that sends no self-trade prevention mode expires the resting order of its own account', () => {
  const exchange = openRestTestExchange();
  const resting = exchange.request('POST order', { ...MAKER, price: '99.99', newOrderRespType: 'RESULT' }).body;
  const { body } = exchange.request('POST order', { symbol: 'BTCUSDT', side: 'SELL', type: 'MARKET', quantity: '1' });
  const expired = exchange.request('GET order', { orderId: String(pick(resting, 'orderId')) }).body;
  assert.deepEqual([pick(expired, 'status'), pick(expired, 'preventedQuantity')], ['EXPIRED_IN_MATCH', '1.00000000']);
  assert.deepEqual(
    [pick(body, 'status'), pick(body, 'executedQty'), pick(body, 'selfTradePreventionMode')],
    ['FILLED', '1.00000000', 'EXPIRE_MAKER'],
  );
});

test('prevented matches are listed by their own id or by an order', () => {
  const exchange = openRestTestExchange();
  exchange.request('POST order', { ...MAKER, price: '99.99' });
  const sell = { ...LIMIT, side: 'SELL', price: '99.9', selfTradePreventionMode: 'DECREMENT' };
  const taken = exchange.request('POST order', sell).body;
  assert.deepEqual([pick(taken, 'status'), pick(taken, 'selfTradePreventionMode')], ['EXPIRED_IN_MATCH', 'DECREMENT']);
  const byOrder = exchange.request('GET myPreventedMatches', { orderId: '1' }).body;
  assert.deepEqual([pick(byOrder, '0.takerOrderId'), pick(byOrder, '0.selfTradePreventionMode')], [2, 'DECREMENT']);
  assert.deepEqual(exchange.request('GET myPreventedMatches', { preventedMatchId: '0' }).body, byOrder);
  assert.equal(pick(exchange.request('GET myPreventedMatches').body, 'code'), -1102);
});
