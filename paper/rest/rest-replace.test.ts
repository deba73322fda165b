import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pick } from '#test/paper/client.ts';
import { openRestTestExchange, type RestTestExchange } from '#test/paper/test-exchange-rest.ts';

const LIMIT = { side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', price: '99', quantity: '1' };
const STOP = { cancelReplaceMode: 'STOP_ON_FAILURE' };
const ALLOW = { cancelReplaceMode: 'ALLOW_FAILURE' };
const TOO_DEAR = { ...LIMIT, quantity: '2000' };
const UNKNOWN = { code: -2011, msg: 'Unknown order sent.' };
const NO_MONEY = { code: -2010, msg: 'Account has insufficient balance for requested action.' };

function withOpenOrder(): RestTestExchange {
  const exchange = openRestTestExchange();
  assert.equal(exchange.request('POST order', { ...LIMIT, newClientOrderId: 'old' }).status, 200);
  return exchange;
}

const statusOf = (exchange: RestTestExchange, clientOrderId: string): unknown =>
  pick(exchange.request('GET order', { origClientOrderId: clientOrderId }).body, 'status');

test('both halves succeed: 200 with both answers, and the cancel id replaces the old one', () => {
  const exchange = withOpenOrder();
  const ids = { cancelOrigClientOrderId: 'old', cancelNewClientOrderId: 'gone', newClientOrderId: 'new' };
  const { status, body } = exchange.request('POST order/cancelReplace', { ...LIMIT, ...STOP, ...ids, price: '98' });
  assert.equal(status, 200);
  assert.deepEqual([pick(body, 'cancelResult'), pick(body, 'newOrderResult')], ['SUCCESS', 'SUCCESS']);
  assert.deepEqual(
    [pick(body, 'cancelResponse.origClientOrderId'), pick(body, 'cancelResponse.status')],
    ['old', 'CANCELED'],
  );
  assert.equal(pick(body, 'newOrderResponse.price'), '98.00000000');
  assert.deepEqual([statusOf(exchange, 'gone'), statusOf(exchange, 'new')], ['CANCELED', 'NEW']);
});

for (const { name, params, status, code, msg, data, old } of [
  {
    name: 'the cancel fails and no order is placed',
    params: { ...LIMIT, ...STOP, cancelOrderId: '77' },
    ...{ status: 400, code: -2022, msg: 'Order cancel-replace failed.', old: 'NEW' },
    data: {
      cancelResult: 'FAILURE',
      newOrderResult: 'NOT_ATTEMPTED',
      cancelResponse: UNKNOWN,
      newOrderResponse: null,
    },
  },
  {
    name: 'the cancel works, the order is refused',
    params: { ...TOO_DEAR, ...STOP, cancelOrigClientOrderId: 'old', cancelNewClientOrderId: 'old' },
    ...{ status: 409, code: -2021, msg: 'Order cancel-replace partially failed.', old: 'CANCELED' },
    data: { cancelResult: 'SUCCESS', newOrderResult: 'FAILURE', newOrderResponse: NO_MONEY },
  },
  {
    name: 'the cancel fails, the order is placed',
    params: { ...LIMIT, ...ALLOW, cancelOrderId: '77' },
    ...{ status: 409, code: -2021, msg: 'Order cancel-replace partially failed.', old: 'NEW' },
    data: { cancelResult: 'FAILURE', newOrderResult: 'SUCCESS', cancelResponse: UNKNOWN },
  },
  {
    name: 'both fail',
    params: { ...TOO_DEAR, ...ALLOW, cancelOrderId: '77' },
    ...{ status: 400, code: -2022, msg: 'Order cancel-replace failed.', old: 'NEW' },
    data: {
      cancelResult: 'FAILURE',
      newOrderResult: 'FAILURE',
      cancelResponse: UNKNOWN,
      newOrderResponse: NO_MONEY,
    },
  },
] as const) {
  test(`cancelReplace where ${name}: ${status} ${code}`, () => {
    const exchange = withOpenOrder();
    const answer = exchange.request('POST order/cancelReplace', params);
    assert.deepEqual([answer.status, pick(answer.body, 'code'), pick(answer.body, 'msg')], [status, code, msg]);
    for (const [field, value] of Object.entries(data)) assert.deepEqual(pick(answer.body, `data.${field}`), value);
    assert.equal(statusOf(exchange, 'old'), old);
  });
}

test('a filter refuses before the cancel', () => {
  const exchange = withOpenOrder();
  const order = { ...LIMIT, ...ALLOW, price: '99.001', cancelOrigClientOrderId: 'old' };
  const { status, body } = exchange.request('POST order/cancelReplace', order);
  assert.deepEqual([status, body], [400, { code: -1013, msg: 'Filter failure: PRICE_FILTER' }]);
  assert.equal(statusOf(exchange, 'old'), 'NEW');
});

test('cancelRestrictions do not cancel an order with another status', () => {
  const exchange = withOpenOrder();
  const order = { ...LIMIT, ...STOP, cancelOrigClientOrderId: 'old', cancelRestrictions: 'ONLY_PARTIALLY_FILLED' };
  const { body } = exchange.request('POST order/cancelReplace', order);
  assert.equal(pick(body, 'data.cancelResponse.msg'), 'Order was not canceled due to cancel restrictions.');
  assert.equal(statusOf(exchange, 'old'), 'NEW');
});

const TOO_MANY = { code: -1015, msg: 'Too many new orders; current limit is 100 orders per 10 SECOND.' };

function withLimitReached(): RestTestExchange {
  const exchange = withOpenOrder();
  const beyond = { ...LIMIT, ...STOP, cancelOrderId: '77' };
  const answers = Array.from({ length: 100 }, () => exchange.request('POST order/cancelReplace', beyond).status);
  assert.deepEqual(new Set(answers), new Set([400, 429]), 'a placement that was not attempted counts as well');
  return exchange;
}

for (const { limitedMode, mode, status, code, old } of [
  { limitedMode: 'DO_NOTHING', mode: STOP, status: 429, code: -1015, old: 'NEW' },
  { limitedMode: 'CANCEL_ONLY', mode: STOP, status: 429, code: -2021, old: 'CANCELED' },
  { limitedMode: 'CANCEL_ONLY', mode: ALLOW, status: 409, code: -2021, old: 'CANCELED' },
] as const) {
  test(`order limit reached, ${limitedMode}, ${mode.cancelReplaceMode}: ${status} ${code}`, () => {
    const exchange = withLimitReached();
    const ids = { cancelOrigClientOrderId: 'old', cancelNewClientOrderId: 'old' };
    const params = { ...LIMIT, ...mode, ...ids, orderRateLimitExceededMode: limitedMode };
    const { status: answered, body } = exchange.request('POST order/cancelReplace', params);
    assert.deepEqual([answered, pick(body, 'code')], [status, code]);
    assert.deepEqual(code === -1015 ? body : pick(body, 'data.newOrderResponse'), TOO_MANY);
    assert.equal(statusOf(exchange, 'old'), old);
  });
}

test('DELETE openOrders cancels the open orders of the coin, and refuses when there are none', () => {
  const exchange = withOpenOrder();
  exchange.request('POST order', LIMIT);
  exchange.request('POST order', LIMIT, 'bob');
  const { status, body } = exchange.request('DELETE openOrders');
  assert.equal(status, 200);
  assert.deepEqual([pick(body, '0.origClientOrderId'), pick(body, '1.status')], ['old', 'CANCELED']);
  assert.deepEqual(exchange.request('DELETE openOrders').body, UNKNOWN);
  assert.equal(exchange.venue.engine.orders.open.size, 1);
});
