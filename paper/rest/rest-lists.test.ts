import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pick } from '#test/paper/client.ts';
import { listStatus } from './list-json.ts';
import { openRestTestExchange, type RestTestExchange } from '#test/paper/test-exchange-rest.ts';

const SELL_OCO = {
  side: 'SELL',
  quantity: '2',
  aboveType: 'LIMIT_MAKER',
  abovePrice: '110',
  aboveClientOrderId: 'profit',
  belowType: 'STOP_LOSS_LIMIT',
  belowStopPrice: '95',
  belowPrice: '94',
  belowTimeInForce: 'GTC',
  belowClientOrderId: 'loss',
  listClientOrderId: 'both',
};
const BUY_OCO = {
  ...{ side: 'BUY', quantity: '2', aboveType: 'STOP_LOSS_LIMIT', aboveStopPrice: '105', abovePrice: '106' },
  ...{ aboveTimeInForce: 'GTC', aboveClientOrderId: 'loss', belowType: 'LIMIT_MAKER', belowPrice: '90' },
  belowClientOrderId: 'profit',
};
const WORKING = {
  ...{ workingType: 'LIMIT', workingSide: 'BUY', workingPrice: '99', workingQuantity: '2', workingTimeInForce: 'GTC' },
  ...{ workingClientOrderId: 'entry', listClientOrderId: 'both' },
};
const PENDING = { pendingType: 'LIMIT_MAKER', pendingSide: 'SELL', pendingPrice: '110', pendingQuantity: '1.9' };
const PENDING_PAIR = {
  ...{ pendingSide: 'SELL', pendingQuantity: '1.9', pendingAboveType: 'LIMIT_MAKER', pendingAbovePrice: '110' },
  ...{ pendingAboveClientOrderId: 'profit', pendingBelowType: 'STOP_LOSS', pendingBelowStopPrice: '95' },
  pendingBelowClientOrderId: 'loss',
};

function place(path: string, params: Readonly<Record<string, string>>): { exchange: RestTestExchange; body: unknown } {
  const exchange = openRestTestExchange();
  const { status, body } = exchange.request(`POST ${path}`, params);
  assert.equal(status, 200, JSON.stringify(body));
  return { exchange, body };
}

const stateOf = (exchange: RestTestExchange, clientOrderId: string): string => {
  const { body } = exchange.request('GET order', { origClientOrderId: clientOrderId });
  return [pick(body, 'status'), pick(body, 'expiryReason')].filter((part) => part !== undefined).join(' ');
};
const executionsOf = (exchange: RestTestExchange): unknown[] =>
  exchange.reports.map((report) => `${report.order.clientOrderId} ${report.execution}`);

test('an OCO answers with its list and both orders, counts as two, and locks once', () => {
  const exchange = openRestTestExchange();
  const { body, headers } = exchange.request('POST orderList/oco', SELL_OCO);
  assert.deepEqual(
    ['contingencyType', 'listStatusType', 'listOrderStatus', 'listClientOrderId'].map((field) => pick(body, field)),
    ['OCO', 'EXEC_STARTED', 'EXECUTING', 'both'],
  );
  assert.deepEqual(pick(body, 'orders.1'), { symbol: 'BTCUSDT', orderId: 2, clientOrderId: 'loss' });
  assert.deepEqual([pick(body, 'orderReports.0.type'), pick(body, 'orderReports.1.orderListId')], ['LIMIT_MAKER', 0]);
  assert.equal(headers['X-MBX-ORDER-COUNT-10S'], '2');
  assert.equal(exchange.locked('ann', 'BTC'), '2');
});

test('a buy OCO locks for its more expensive order, then for the other order once that is the only one', () => {
  const { exchange } = place('orderList/oco', BUY_OCO);
  assert.equal(exchange.locked('ann', 'USDT'), '212');
  exchange.toFront();
  exchange.trade('90', '0.5', false);
  assert.deepEqual(
    [stateOf(exchange, 'profit'), stateOf(exchange, 'loss')],
    ['PARTIALLY_FILLED', 'EXPIRED OCO_TRIGGER'],
  );
  assert.equal(exchange.locked('ann', 'USDT'), '135');
});

test('the first fill of the limit order ends the stop; the list is done with the last order', () => {
  const { exchange } = place('orderList/oco', SELL_OCO);
  exchange.trade('110', '0.5', true);
  exchange.trade('111', '1', true);
  assert.deepEqual([stateOf(exchange, 'profit'), stateOf(exchange, 'loss')], ['FILLED', 'EXPIRED OCO_TRIGGER']);
  assert.deepEqual(
    exchange.lists.map(listStatus).map((event) => [event['l'], event['L'], event['C'], event['g']]),
    [
      ['EXEC_STARTED', 'EXECUTING', 'both', 0],
      ['ALL_DONE', 'ALL_DONE', 'both', 0],
    ],
  );
});

test('a triggered stop ends the limit order first, then works', () => {
  const { exchange } = place('orderList/oco', SELL_OCO);
  exchange.trade('95', '1', false);
  assert.deepEqual(executionsOf(exchange), [
    'profit NEW',
    'loss NEW',
    'profit EXPIRED',
    'loss NEW',
    ...soldIn(exchange),
  ]);
  assert.deepEqual([stateOf(exchange, 'profit'), stateOf(exchange, 'loss')], ['EXPIRED OCO_TRIGGER', 'FILLED']);
  assert.equal(exchange.locked('ann', 'BTC'), '0');
});

test('a stop triggered by a price gap rests without its pair', () => {
  const { exchange } = place('orderList/oco', SELL_OCO);
  exchange.trade('90', '1', false);
  assert.deepEqual([stateOf(exchange, 'profit'), stateOf(exchange, 'loss')], ['EXPIRED OCO_TRIGGER', 'NEW']);
  assert.deepEqual([exchange.locked('ann', 'BTC'), exchange.lists.length], ['2', 1]);
});

const soldIn = (exchange: RestTestExchange): string[] =>
  exchange.reports.flatMap((report) => (report.fill === null ? [] : ['loss TRADE']));

test('canceling one order of a list cancels the list', () => {
  const { exchange } = place('orderList/oco', SELL_OCO);
  assert.equal(exchange.request('DELETE order', { origClientOrderId: 'profit' }).status, 200);
  assert.deepEqual(
    [...exchange.venue.engine.orders.byId.values()].map((order) => order.status),
    ['CANCELED', 'CANCELED'],
  );
  assert.deepEqual([exchange.locked('ann', 'BTC'), exchange.lists.at(-1)?.change], ['0', 'ALL_DONE']);
});

test('DELETE orderList and DELETE openOrders answer with the list and its orders', () => {
  const { exchange } = place('orderList/oco', SELL_OCO);
  const { body } = exchange.request('DELETE orderList', { listClientOrderId: 'both', newClientOrderId: 'gone' });
  assert.deepEqual(
    ['listOrderStatus', 'orders.0.clientOrderId', 'orderReports.1.origClientOrderId', 'orderReports.1.status'].map(
      (field) => pick(body, field),
    ),
    ['ALL_DONE', 'profit', 'loss', 'CANCELED'],
  );
  assert.deepEqual(exchange.request('DELETE orderList', { orderListId: '0' }).body, {
    code: -2011,
    msg: 'Unknown order sent.',
  });
  exchange.request('POST orderList/oco', SELL_OCO);
  exchange.request('POST order', { side: 'BUY', type: 'LIMIT_MAKER', price: '90', quantity: '1' });
  const all = exchange.request('DELETE openOrders').body;
  assert.deepEqual([pick(all, '0.contingencyType'), pick(all, '1.side')], ['OCO', 'BUY']);
});

test('an OTO places its second order when the first has filled, not before', () => {
  const { exchange, body } = place('orderList/oto', { ...WORKING, ...PENDING, pendingClientOrderId: 'exit' });
  assert.deepEqual([pick(body, 'contingencyType'), pick(body, 'orderReports.1.status')], ['OTO', 'PENDING_NEW']);
  exchange.toFront();
  exchange.trade('99', '1', false);
  assert.deepEqual([stateOf(exchange, 'entry'), stateOf(exchange, 'exit')], ['PARTIALLY_FILLED', 'PENDING_NEW']);
  assert.equal(exchange.locked('ann', 'BTC'), '0');
  exchange.toFront();
  exchange.trade('99', '1', false);
  assert.deepEqual(
    [stateOf(exchange, 'entry'), stateOf(exchange, 'exit'), exchange.locked('ann', 'BTC')],
    ['FILLED', 'NEW', '1.9'],
  );
});

test('an OTO whose first order fills at once still answers with the second one pending', () => {
  const { exchange, body } = place('orderList/oto', {
    ...WORKING,
    ...PENDING,
    workingPrice: '101',
    pendingClientOrderId: 'exit',
    newOrderRespType: 'FULL',
  });
  assert.deepEqual(
    ['orderReports.0.status', 'orderReports.1.status', 'orderReports.0.fills.0.qty'].map((field) => pick(body, field)),
    ['FILLED', 'PENDING_NEW', '2.00000000'],
  );
  assert.equal(stateOf(exchange, 'exit'), 'NEW');
});

test('an OTO whose first order ends unfilled ends the second', () => {
  const { exchange } = place('orderList/oto', {
    ...{ ...WORKING, ...PENDING, workingTimeInForce: 'FOK', pendingClientOrderId: 'exit' },
  });
  assert.deepEqual(
    [stateOf(exchange, 'entry'), stateOf(exchange, 'exit')],
    ['EXPIRED UNFILLED_FOK_ORDER_EXPIRED', 'EXPIRED OTO_PHASE_ONE_EXPIRED'],
  );
  assert.equal(exchange.lists.at(-1)?.change, 'ALL_DONE');
});

test('a second order that cannot be paid for expires as rejected', () => {
  const { exchange } = place('orderList/oto', {
    ...WORKING,
    ...PENDING,
    pendingQuantity: '500',
    pendingClientOrderId: 'exit',
  });
  exchange.trade('98', '1', false);
  assert.equal(stateOf(exchange, 'exit'), 'EXPIRED REJECTED');
});

test('an OTOCO places its pair when the first has filled, counts as three, and the pair continues like an OCO', () => {
  const exchange = openRestTestExchange();
  const { headers } = exchange.request('POST orderList/otoco', { ...WORKING, ...PENDING_PAIR });
  assert.equal(headers['X-MBX-ORDER-COUNT-10S'], '3');
  exchange.trade('98', '1', false);
  assert.deepEqual(
    [stateOf(exchange, 'profit'), stateOf(exchange, 'loss'), exchange.locked('ann', 'BTC')],
    ['NEW', 'NEW', '1.9'],
  );
  exchange.trade('95', '1', false);
  assert.deepEqual([stateOf(exchange, 'profit'), stateOf(exchange, 'loss')], ['EXPIRED OCO_TRIGGER', 'FILLED']);
  assert.equal(pick(exchange.request('GET orderList', { orderListId: '0' }).body, 'listOrderStatus'), 'ALL_DONE');
});

test('the older form of an OCO is the same pair', () => {
  const { exchange, body } = place('order/oco', {
    ...{ side: 'SELL', quantity: '1', price: '110', stopPrice: '95', stopLimitPrice: '94' },
    ...{ stopLimitTimeInForce: 'GTC', limitClientOrderId: 'profit', stopClientOrderId: 'loss' },
  });
  assert.deepEqual(
    [pick(body, 'orderReports.0.type'), pick(body, 'orderReports.1.type')],
    ['LIMIT_MAKER', 'STOP_LOSS_LIMIT'],
  );
  assert.deepEqual([stateOf(exchange, 'profit'), stateOf(exchange, 'loss')], ['NEW', 'NEW']);
});

test('lists are found by both ids, the open ones and all of them', () => {
  const { exchange } = place('orderList/oco', SELL_OCO);
  exchange.request('DELETE orderList', { orderListId: '0' });
  exchange.request('POST orderList/oco', { ...SELL_OCO, listClientOrderId: 'next' });
  assert.equal(
    pick(exchange.request('GET orderList', { origClientOrderId: 'both' }).body, 'listOrderStatus'),
    'ALL_DONE',
  );
  assert.equal(pick(exchange.request('GET orderList', { orderListId: '9' }).body, 'code'), -2013);
  const ids = (path: string, params = {}) => {
    const { body } = exchange.request(`GET ${path}`, { ...params });
    return Array.isArray(body) ? body.map((list) => pick(list, 'orderListId')) : body;
  };
  assert.deepEqual(
    [ids('openOrderList'), ids('allOrderList'), ids('allOrderList', { fromId: '1' })],
    [[1], [0, 1], [1]],
  );
});

const RELATIONSHIP = { code: -2010, msg: 'The relationship of the prices for the orders is not correct.' };
for (const { name, path = 'orderList/oco', params, expected } of [
  { name: 'a profit below the price', params: { ...SELL_OCO, abovePrice: '99' }, expected: RELATIONSHIP },
  { name: 'a stop above the price', params: { ...SELL_OCO, belowStopPrice: '101' }, expected: RELATIONSHIP },
  {
    name: 'a pending pair with above and below swapped',
    path: 'orderList/otoco',
    params: { ...WORKING, ...PENDING_PAIR, pendingAbovePrice: '94' },
    expected: RELATIONSHIP,
  },
  {
    name: 'a limit below in a sell',
    params: { ...SELL_OCO, aboveType: 'TAKE_PROFIT', aboveStopPrice: '110', belowType: 'LIMIT_MAKER' },
    expected: { code: -1166, msg: 'A limit order in a sell OCO must be above.' },
  },
  {
    name: 'a limit above in a buy',
    params: { ...BUY_OCO, aboveType: 'LIMIT_MAKER', belowType: 'TAKE_PROFIT' },
    expected: { code: -1165, msg: 'A limit order in a buy OCO must be below.' },
  },
  {
    name: 'a stop loss above in a sell',
    params: { ...SELL_OCO, aboveType: 'STOP_LOSS' },
    expected: { code: -1197, msg: 'A stop loss order in a sell OCO must be below.' },
  },
  {
    name: 'a take profit above in a buy',
    params: { ...BUY_OCO, aboveType: 'TAKE_PROFIT' },
    expected: { code: -1198, msg: 'A take profit order in a buy OCO must be below.' },
  },
  {
    name: 'a market order in a pair',
    params: { ...SELL_OCO, belowType: 'MARKET' },
    expected: { code: -1158, msg: 'Order type not supported in OCO.' },
  },
  {
    name: 'more than the free balance',
    params: { ...SELL_OCO, quantity: '101' },
    expected: { code: -2010, msg: 'Account has insufficient balance for requested action.' },
  },
  {
    name: 'one client id twice',
    params: { ...SELL_OCO, belowClientOrderId: 'profit' },
    expected: { code: -2010, msg: 'Duplicate order sent.' },
  },
  {
    name: 'a filter broken by one order',
    params: { ...SELL_OCO, belowPrice: '94.001' },
    expected: { code: -1013, msg: 'Filter failure: PRICE_FILTER' },
  },
] as const) {
  test(`a list with ${name} is refused and changes nothing`, () => {
    const exchange = openRestTestExchange();
    assert.deepEqual(exchange.request(`POST ${path}`, params).body, expected);
    assert.deepEqual(
      [exchange.reports.length, exchange.lists.length, exchange.venue.engine.orders.lists.size],
      [0, 0, 0],
    );
    assert.equal(exchange.locked('ann', 'BTC'), '0');
  });
}
