import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal } from '#core/decimal.ts';
import { pick } from './client.ts';
import { executionReport } from './order-json.ts';
import { openRestRig, type RestRig } from './rest-rig.ts';
import { RICH } from './rig.ts';

const LIMIT = { side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', price: '99', quantity: '2' };
const AMEND = 'PUT order/amend/keepPriority';

function withOpenOrder(): RestRig {
  const rig = openRestRig();
  assert.equal(rig.ask('POST order', { ...LIMIT, newClientOrderId: 'mine' }).status, 200);
  return rig;
}

test('a lower quantity keeps the place in the book, gives back the lock and replaces the client id', () => {
  const rig = withOpenOrder();
  rig.ask('POST order', { ...LIMIT, newClientOrderId: 'behind' }, 'bob');
  const { status, body } = rig.ask(AMEND, { origClientOrderId: 'mine', newQty: '1', newClientOrderId: 'less' });
  assert.equal(status, 200);
  assert.deepEqual(
    ['qty', 'origClientOrderId', 'clientOrderId', 'status'].map((field) => pick(body, `amendedOrder.${field}`)),
    ['1.00000000', 'mine', 'less', 'NEW'],
  );
  assert.equal(formatDecimal(rig.venue.floor.purses.balance('ann', 'USDT').locked), '99');
  const report = rig.reports.find((one) => one.execution === 'REPLACED');
  const event = report === undefined ? undefined : executionReport(report);
  assert.deepEqual([event?.['x'], event?.['X'], event?.['c'], event?.['C']], ['REPLACED', 'NEW', 'less', 'mine']);
  rig.toFront();
  rig.trade('99', '1', false);
  assert.equal(pick(rig.ask('GET order', { origClientOrderId: 'less' }).body, 'status'), 'FILLED');
  assert.equal(
    pick(rig.ask('GET order/amendments', { orderId: '1' }).body, '0.executionId'),
    pick(body, 'executionId'),
  );
});

test('an amend makes up a client id unless the present one is passed', () => {
  const rig = withOpenOrder();
  rig.ask(AMEND, { orderId: '1', newQty: '1.5', newClientOrderId: 'mine' });
  assert.equal(pick(rig.ask('GET order', { orderId: '1' }).body, 'clientOrderId'), 'mine');
  rig.ask(AMEND, { orderId: '1', newQty: '1' });
  assert.match(String(pick(rig.ask('GET order', { orderId: '1' }).body, 'clientOrderId')), /^[\w-]{22}$/);
});

for (const { name, params, code, msg } of [
  {
    name: 'a larger quantity',
    params: { orderId: '1', newQty: '3' },
    ...{ code: -2038, msg: 'Order amend (quantity increase) is not supported.' },
  },
  {
    name: 'the same quantity',
    params: { orderId: '1', newQty: '2' },
    ...{ code: -2038, msg: 'The requested action would change no state; rejecting' },
  },
  {
    name: 'an order that is not open',
    params: { orderId: '9', newQty: '1' },
    ...{ code: -2038, msg: 'Unknown order sent.' },
  },
  {
    name: 'a quantity that breaks a filter',
    params: { orderId: '1', newQty: '0.01' },
    ...{ code: -1013, msg: 'Filter failure: NOTIONAL' },
  },
  {
    name: 'no quantity',
    params: { orderId: '1' },
    ...{ code: -1102, msg: "Mandatory parameter 'newQty' was not sent, was empty/null, or malformed." },
  },
] as const) {
  test(`${name} is refused and leaves the order as it was`, () => {
    const rig = withOpenOrder();
    assert.deepEqual(rig.ask(AMEND, params).body, { code, msg });
    assert.equal(pick(rig.ask('GET order', { orderId: '1' }).body, 'origQty'), '2.00000000');
  });
}

test('the eleventh amend is refused', () => {
  const rig = withOpenOrder();
  for (let nth = 1; nth <= 10; nth++)
    assert.equal(rig.ask(AMEND, { orderId: '1', newQty: (2 - nth / 10).toFixed(1) }).status, 200);
  const { body } = rig.ask(AMEND, { orderId: '1', newQty: '0.5' });
  assert.deepEqual(body, { code: -2038, msg: 'Filter failure: MAX_NUM_ORDER_AMENDS' });
});

test('an amend to what is executed ends the order', () => {
  const rig = withOpenOrder();
  rig.toFront();
  rig.trade('99', '1', false);
  const { body } = rig.ask(AMEND, { orderId: '1', newQty: '1' });
  assert.equal(pick(body, 'amendedOrder.status'), 'EXPIRED');
  assert.equal(rig.venue.floor.purses.balance('ann', 'USDT').locked, 0n);
});

test('myFilters tells the limits that apply', () => {
  const { body } = openRestRig().ask('GET myFilters');
  assert.equal(pick(body, 'exchangeFilters.0.filterType'), 'EXCHANGE_MAX_NUM_ORDERS');
  assert.ok(JSON.stringify(pick(body, 'symbolFilters')).includes('"maxNumOrderAmends":10'));
});

test('an account may move only so much of an asset with one order, and myFilters says how much', () => {
  const rig = openRestRig(RICH.map((one) => ({ ...one, assetLimits: { BTC: '2', ETH: '1' } })));
  const order = { side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', price: '99', quantity: '2' };
  assert.equal(rig.ask('POST order', order).status, 200);
  const refused = rig.ask('POST order', { ...order, quantity: '2.00001' }).body;
  assert.deepEqual(refused, { code: -1013, msg: 'Filter failure: MAX_ASSET' });
  assert.deepEqual(pick(rig.ask('GET myFilters').body, 'assetFilters'), [
    { filterType: 'MAX_ASSET', asset: 'BTC', limit: '2.00000000' },
  ]);
});

test('an amend of an order that still waits has no working time, and shows the list without its own times', () => {
  const rig = openRestRig();
  rig.ask('POST orderList/oto', {
    ...{
      workingType: 'LIMIT',
      workingSide: 'BUY',
      workingPrice: '99',
      workingQuantity: '2',
      workingTimeInForce: 'GTC',
    },
    ...{ pendingType: 'MARKET', pendingSide: 'SELL', pendingQuantity: '2', pendingClientOrderId: 'exit' },
  });
  const { body } = rig.ask(AMEND, { origClientOrderId: 'exit', newQty: '1' });
  assert.deepEqual(
    [pick(body, 'amendedOrder.status'), pick(body, 'amendedOrder.workingTime')],
    ['PENDING_NEW', undefined],
  );
  const keys = ['orderListId', 'contingencyType', 'listOrderStatus', 'listClientOrderId', 'symbol', 'orders'];
  assert.deepEqual(Object.keys(Object(pick(body, 'listStatus'))), keys);
});
