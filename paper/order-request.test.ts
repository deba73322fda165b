import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pick } from './client.ts';
import { openRestRig } from './rest-rig.ts';

const LIMIT = { side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', price: '99', quantity: '1' };
const STOP = { side: 'SELL', type: 'STOP_LOSS', quantity: '1', stopPrice: '95' };
const STOP_LIMIT = { ...STOP, type: 'STOP_LOSS_LIMIT', price: '94', timeInForce: 'GTC' };
const MAKER = { side: 'BUY', type: 'LIMIT_MAKER', price: '99', quantity: '1' };

const without = (params: Readonly<Record<string, string>>, name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(params).filter(([one]) => one !== name));
const missing = (name: string) => ({
  code: -1102,
  msg: `Mandatory parameter '${name}' was not sent, was empty/null, or malformed.`,
});
const unwanted = (name: string) => ({ code: -1106, msg: `Parameter '${name}' sent when not required.` });
const NO_TIME = { code: -1114, msg: 'TimeInForce parameter sent when not required.' };

for (const { name, params, says } of [
  { name: 'a limit without a price', params: without(LIMIT, 'price'), says: missing('price') },
  { name: 'a limit without a time in force', params: without(LIMIT, 'timeInForce'), says: missing('timeInForce') },
  { name: 'a limit with a stop price', params: { ...LIMIT, stopPrice: '98' }, says: unwanted('stopPrice') },
  { name: 'a limit that trails', params: { ...LIMIT, trailingDelta: '100' }, says: unwanted('trailingDelta') },
  { name: 'a limit by amount of quote', params: { ...LIMIT, quoteOrderQty: '9' }, says: unwanted('quoteOrderQty') },
  { name: 'a maker with a time in force', params: { ...MAKER, timeInForce: 'GTC' }, says: NO_TIME },
  { name: 'a maker without a price', params: without(MAKER, 'price'), says: missing('price') },
  { name: 'a stop with a price', params: { ...STOP, price: '94' }, says: unwanted('price') },
  { name: 'a stop with a time in force', params: { ...STOP, timeInForce: 'GTC' }, says: NO_TIME },
  { name: 'a stop without a quantity', params: without(STOP, 'quantity'), says: missing('quantity') },
  {
    name: 'a stop that neither stands nor trails',
    params: without(STOP, 'stopPrice'),
    says: { code: -1102, msg: "Param 'stopPrice' or 'trailingDelta' must be sent, but both were empty/null!" },
  },
  { name: 'a stop limit without a price', params: without(STOP_LIMIT, 'price'), says: missing('price') },
  { name: 'an iceberg that takes any price', params: { ...STOP, icebergQty: '0.5' }, says: unwanted('icebergQty') },
  {
    name: 'an iceberg that does not rest',
    params: { ...LIMIT, timeInForce: 'IOC', icebergQty: '0.5' },
    says: { code: -1014, msg: 'Unsupported order combination.' },
  },
  {
    name: 'an iceberg larger than itself',
    params: { ...LIMIT, icebergQty: '1.1' },
    says: { code: -2010, msg: 'IcebergQty exceeds QTY.' },
  },
  {
    name: 'a strategy type below its range',
    params: { ...LIMIT, strategyType: '999999' },
    says: { code: -1134, msg: 'strategyType was less than 1000000.' },
  },
  {
    name: 'an unknown way to prevent self-trades',
    params: { ...LIMIT, selfTradePreventionMode: 'ALWAYS' },
    says: { code: -1130, msg: "Data sent for parameter 'selfTradePreventionMode' is not valid." },
  },
  {
    name: 'a trailing delta out of range',
    params: { ...STOP, trailingDelta: '2001' },
    says: { code: -1013, msg: 'Filter failure: TRAILING_DELTA' },
  },
] as const) {
  test(`${name} is refused in the exchange's words`, () => {
    const rig = openRestRig();
    assert.deepEqual(rig.ask('POST order', params).body, says);
    assert.equal(rig.reports.length, 0);
  });
}

for (const { type, params, fields } of [
  { type: 'ACK', params: STOP, fields: ['symbol', 'orderId', 'orderListId', 'clientOrderId', 'transactTime'] },
  { type: 'ACK', params: MAKER, fields: ['symbol', 'orderId', 'orderListId', 'clientOrderId', 'transactTime'] },
]) {
  test(`${params.type} answers ${type} unless told otherwise`, () => {
    const { body } = openRestRig().ask('POST order', params);
    assert.deepEqual(Object.keys(Object(body)), fields);
  });
}

test('what only some orders have is told where they have it', () => {
  const rig = openRestRig();
  const strategy = { strategyId: '7', strategyType: '1000000', newOrderRespType: 'RESULT' };
  const trailing = rig.ask('POST order', { ...STOP, trailingDelta: '150', ...strategy }).body;
  assert.deepEqual(
    ['stopPrice', 'trailingDelta', 'trailingTime', 'strategyId', 'strategyType'].map((field) => pick(trailing, field)),
    ['95.00000000', 150, -1, 7, 1_000_000],
  );
  const hidden = rig.ask('POST order', { ...LIMIT, icebergQty: '0.5' }).body;
  assert.equal(pick(hidden, 'icebergQty'), '0.50000000');
  const plain = Object.keys(Object(rig.ask('POST order', LIMIT).body));
  for (const field of ['stopPrice', 'icebergQty', 'trailingDelta', 'strategyId', 'preventedMatches'])
    assert.ok(!plain.includes(field), field);
});

test('prevented matches are listed by their own id or by an order', () => {
  const rig = openRestRig();
  rig.ask('POST order', { ...MAKER, price: '99.99' });
  const sell = { ...LIMIT, side: 'SELL', price: '99.9', selfTradePreventionMode: 'TRANSFER' };
  const taken = rig.ask('POST order', sell).body;
  assert.deepEqual([pick(taken, 'status'), pick(taken, 'selfTradePreventionMode')], ['EXPIRED_IN_MATCH', 'TRANSFER']);
  const byOrder = rig.ask('GET myPreventedMatches', { orderId: '1' }).body;
  assert.deepEqual([pick(byOrder, '0.takerOrderId'), pick(byOrder, '0.selfTradePreventionMode')], [2, 'DECREMENT']);
  assert.deepEqual(rig.ask('GET myPreventedMatches', { preventedMatchId: '0' }).body, byOrder);
  assert.equal(pick(rig.ask('GET myPreventedMatches').body, 'code'), -1102);
});
