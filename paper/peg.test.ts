import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pick } from './client.ts';
import { executionReport } from './order-json.ts';
import { openRestRig, type RestRig } from './rest-rig.ts';

const PRIMARY = { pegPriceType: 'PRIMARY_PEG' };
const MARKET = { pegPriceType: 'MARKET_PEG' };
const DEEPER = { pegOffsetType: 'PRICE_LEVEL', pegOffsetValue: '1' };
const LIMIT = { side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '1' };

/** A book of clients alone: bids at 99 and 98, asks at 101 and 103. */
function openBook(): RestRig {
  const rig = openRestRig();
  rig.venue.floor.market('BTCUSDT').quote = undefined;
  for (const [side, price] of [
    ['BUY', '99'],
    ['BUY', '98'],
    ['SELL', '101'],
    ['SELL', '103'],
  ])
    rig.ask('POST order', { ...LIMIT, side: side ?? '', price: price ?? '' }, 'bob');
  return rig;
}

for (const { name, params, price, status } of [
  { name: 'the best bid', params: { ...LIMIT, ...PRIMARY }, price: '99', status: 'NEW' },
  { name: 'the bid behind it', params: { ...LIMIT, ...PRIMARY, ...DEEPER }, price: '98', status: 'NEW' },
  { name: 'the best ask', params: { ...LIMIT, ...MARKET }, price: '101', status: 'FILLED' },
  { name: 'the ask behind it', params: { ...LIMIT, ...MARKET, ...DEEPER }, price: '103', status: 'FILLED' },
  {
    name: 'the best ask, as a maker',
    params: { type: 'LIMIT_MAKER', side: 'SELL', quantity: '1', newOrderRespType: 'RESULT', ...PRIMARY },
    price: '101',
    status: 'NEW',
  },
]) {
  test(`a pegged order works at ${name}`, () => {
    const { body } = openBook().ask('POST order', params);
    assert.deepEqual(
      ['price', 'peggedPrice', 'pegPriceType', 'pegOffsetValue', 'status'].map((field) => pick(body, field)),
      ['0.00000000', `${price}.00000000`, params.pegPriceType, 'pegOffsetValue' in params ? 1 : undefined, status],
    );
  });
}

test('a pegged stop waits without a price, and takes the best one when it fires', () => {
  const rig = openBook();
  const stop = { ...LIMIT, type: 'STOP_LOSS_LIMIT', stopPrice: '105', newOrderRespType: 'RESULT', ...PRIMARY };
  const { body } = rig.ask('POST order', { ...stop, price: '97' });
  assert.deepEqual(
    [pick(body, 'price'), pick(body, 'peggedPrice'), rig.locked('ann', 'USDT')],
    ['97.00000000', undefined, '97'],
  );
  assert.equal(pick(rig.ask('POST order', stop).body, 'price'), '0.00000000');
  assert.equal(rig.locked('ann', 'USDT'), '202');
  rig.trade('105', '0.1', true);
  const last = rig.reports.filter((one) => one.order.account === 'ann').map(executionReport);
  assert.deepEqual(
    last.slice(-2).map((event) => [event['p'], event['gP'], Number(event['gp']) > 104, event['w']]),
    [
      ['97.00000000', 'PRIMARY_PEG', true, true],
      ['0.00000000', 'PRIMARY_PEG', true, true],
    ],
  );
  assert.equal(
    Number(rig.locked('ann', 'USDT')),
    last.slice(-2).reduce((sum, event) => sum + Number(event['gp']), 0),
  );
});

test('orders of lists are pegged: the first phase when it is placed, the second when it begins', () => {
  const rig = openBook();
  const list = {
    ...{ workingType: 'LIMIT', workingSide: 'BUY', workingQuantity: '1', workingTimeInForce: 'GTC' },
    ...{ workingPegPriceType: 'MARKET_PEG', pendingType: 'LIMIT_MAKER', pendingSide: 'SELL', pendingQuantity: '0.5' },
    ...{ pendingPegPriceType: 'PRIMARY_PEG', workingTimeInForce: 'IOC' },
  };
  const { body } = rig.ask('POST orderList/oto', list);
  assert.deepEqual(
    ['orderReports.0.peggedPrice', 'orderReports.0.status', 'orderReports.1.peggedPrice'].map((field) =>
      pick(body, field),
    ),
    ['101.00000000', 'FILLED', undefined],
  );
  assert.equal(pick(rig.ask('GET openOrders').body, '0.peggedPrice'), '103.00000000');
});

for (const { name, params, code, msg } of [
  { name: 'an unknown peg', params: { pegPriceType: 'BEST' }, code: -1210, msg: 'Invalid pegPriceType.' },
  {
    name: 'an unknown offset',
    params: { ...PRIMARY, ...DEEPER, pegOffsetType: 'TICKS' },
    code: -1211,
    msg: 'Invalid pegOffsetType.',
  },
  {
    name: 'an offset without a type',
    params: { ...PRIMARY, pegOffsetValue: '1' },
    code: -1128,
    msg: 'Fields [pegOffsetType, pegOffsetValue] must be sent together or omitted entirely.',
  },
  {
    name: 'an offset that is too large',
    params: { ...PRIMARY, ...DEEPER, pegOffsetValue: '101' },
    code: -1102,
    msg: "'pegOffsetValue' contains unexpected value. Cannot be greater than 100.",
  },
  {
    name: 'an offset without a peg',
    params: { ...DEEPER, price: '99' },
    code: -1106,
    msg: "Parameter 'pegOffsetType' sent when not required.",
  },
  {
    name: 'a market order',
    params: { type: 'MARKET', timeInForce: '', ...MARKET },
    code: -2010,
    msg: 'This order type may not use pegged price.',
  },
  {
    name: 'a maker at the other side',
    params: { type: 'LIMIT_MAKER', timeInForce: '', ...MARKET },
    code: -2010,
    msg: 'This price peg cannot be used with this order type.',
  },
  {
    name: 'a primary peg that does not rest',
    params: { timeInForce: 'IOC', ...PRIMARY },
    code: -2010,
    msg: 'This price peg cannot be used with this order type.',
  },
  {
    name: 'a level that is not there',
    params: { ...PRIMARY, ...DEEPER, pegOffsetValue: '2' },
    code: -2010,
    msg: 'Order book liquidity is too low for this pegged order.',
  },
  {
    name: 'a price of its own off the tick',
    params: { ...PRIMARY, price: '99.001' },
    code: -1013,
    msg: 'Filter failure: PRICE_FILTER',
  },
] as const) {
  test(`${name} is refused and leaves no trace`, () => {
    const rig = openBook();
    const sent: Record<string, string> = { ...LIMIT, ...params };
    const kept = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== ''));
    assert.deepEqual(rig.ask('POST order', kept).body, { code, msg });
    assert.equal(rig.locked('ann', 'USDT'), '0');
  });
}
