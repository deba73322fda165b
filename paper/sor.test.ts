import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireDecimal } from '#core/decimal.ts';
import { pick } from './client.ts';
import { openLimits } from './limits.ts';
import { executionReport } from './order-json.ts';
import { totalsOf } from './purses.ts';
import { type RestRig, withRoutes } from './rest-rig.ts';
import { openRig, RICH } from './rig.ts';
import { enliven } from './venue.ts';

/** The asks of the exchange's own example, a thousand times cheaper; bob sells in all three books. */
const ASKS: readonly (readonly [string, string, string])[] = [
  ['BTCUSDT', '3', '30.8'],
  ['BTCUSDT', '3', '30.5'],
  ['BTCUSDC', '1', '30'],
  ['BTCUSDC', '1', '28'],
  ['BTCFDUSD', '1', '35'],
  ['BTCFDUSD', '1', '29'],
];

function openBooks(inputs = RICH): RestRig {
  const rig = withRoutes(openRig(inputs, 30, { others: { BTCUSDC: 30, BTCFDUSD: 30 } }), openLimits());
  for (const symbol of ['BTCUSDT', 'BTCUSDC', 'BTCFDUSD']) enliven(rig.venue, symbol);
  for (const market of rig.venue.markets.values()) market.quote = undefined;
  for (const [symbol, quantity, price] of ASKS) {
    const order = { symbol, side: 'SELL', type: 'LIMIT', timeInForce: 'GTC', quantity, price };
    assert.equal(rig.ask('POST order', order, 'bob').status, 200);
  }
  return rig;
}

const LIMIT = { side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', price: '31' };

test('a routed order takes the best price of all books, pays in its own quote asset and is filled by allocations', () => {
  const rig = openBooks();
  const { body } = rig.ask('POST sor/order', { ...LIMIT, quantity: '5' });
  assert.deepEqual(
    ['status', 'cummulativeQuoteQty', 'usedSor', 'workingFloor'].map((field) => pick(body, field)),
    ['FILLED', '148.00000000', true, 'SOR'],
  );
  const fields = ['matchType', 'price', 'qty', 'tradeId', 'allocId'];
  const fills = [0, 1, 2, 3].map((at) => fields.map((field) => pick(body, `fills.${at}.${field}`)));
  assert.deepEqual(
    fills,
    ['28', '29', '30', '30.5'].map((price, at) => [
      ...['ONE_PARTY_TRADE_REPORT', `${Number(price).toFixed(8)}`, at === 3 ? '2.00000000' : '1.00000000'],
      ...[-1, at],
    ]),
  );
  assert.deepEqual(rig.ask('GET order', { orderId: '1' }, 'bob').status, 200);
  const event = rig.reports.map(executionReport).find((one) => one['a'] === 0);
  assert.deepEqual(
    [event?.['b'], event?.['k'], event?.['uS'], event?.['t']],
    ['ONE_PARTY_TRADE_REPORT', 'SOR', true, -1],
  );
  const allocations = rig.ask('GET myAllocations', { fromAllocationId: '2' }).body;
  assert.deepEqual(
    ['0.allocationId', '1.allocationId', '1.allocationType', '1.quoteQty'].map((path) => pick(allocations, path)),
    [2, 3, 'SOR', '61.00000000'],
  );
  const usdc = rig.venue.floor.purses.balance('bob', 'USDC').free;
  assert.equal(usdc, requireDecimal('57.9884'), 'the makers are paid in the quote assets of their books');
  for (const total of totalsOf(rig.venue.floor.purses.rows())) assert.equal(total.difference, 0n, total.asset);
});

test('what the books do not hold rests in its own book, or expires', () => {
  const limited = openBooks().ask('POST sor/order', { ...LIMIT, quantity: '11' }).body;
  assert.deepEqual([pick(limited, 'status'), pick(limited, 'executedQty')], ['PARTIALLY_FILLED', '9.00000000']);
  const any = openBooks().ask('POST sor/order', { side: 'BUY', type: 'MARKET', quantity: '11' }).body;
  assert.deepEqual([pick(any, 'status'), pick(any, 'cummulativeQuoteQty')], ['EXPIRED', '305.90000000']);
});

test('an order that finds the best price at home trades there', () => {
  const rig = openBooks();
  const order = { symbol: 'BTCUSDC', side: 'BUY', type: 'MARKET', quantity: '0.5' };
  const { body } = withUsdc(rig).ask('POST sor/order', order);
  assert.deepEqual([pick(body, 'workingFloor'), pick(body, 'fills.0.matchType')], ['EXCHANGE', undefined]);
  assert.ok(Number(pick(body, 'fills.0.tradeId')) > 0);
});

function withUsdc(rig: RestRig): RestRig {
  const amount = requireDecimal('1000');
  rig.venue.floor.purses.move({ from: '#outside', to: 'ann', asset: 'USDC', amount });
  return rig;
}

for (const { name, params, inputs = RICH, says } of [
  {
    name: 'a stop',
    params: { ...LIMIT, type: 'STOP_LOSS' },
    says: { code: -1106, msg: "Parameter 'price' sent when not required." },
  },
  {
    name: 'a maker',
    params: { side: 'BUY', type: 'LIMIT_MAKER', price: '31' },
    says: { code: -1116, msg: 'Invalid orderType.' },
  },
  {
    name: 'a pegged order',
    params: { ...LIMIT, pegPriceType: 'PRIMARY_PEG' },
    says: { code: -2010, msg: 'This order type may not use pegged price.' },
  },
  {
    name: 'a coin that has no sibling',
    params: { ...LIMIT, symbol: 'BNBUSDT' },
    says: { code: -1020, msg: 'This operation is not supported.' },
  },
  {
    name: 'an account without routing',
    params: LIMIT,
    inputs: RICH.map((one) => ({ ...one, preventSor: true })),
    says: { code: -2010, msg: 'This action is disabled on this account.' },
  },
]) {
  test(`${name} is not routed`, () => {
    const rig = withRoutes(openRig(inputs, 30, { others: { BTCUSDC: 30, BNBUSDT: 500 } }), openLimits());
    for (const path of ['sor/order', 'sor/order/test'])
      assert.deepEqual(rig.ask(`POST ${path}`, { ...params, quantity: '1' }).body, says);
  });
}
