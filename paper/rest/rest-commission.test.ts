import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pick } from '#test/paper/client.ts';
import { openLimits } from './limits.ts';
import { openRestTestExchange, withRoutes } from '#test/paper/test-exchange-rest.ts';
import { openTestExchange } from '#test/paper/test-exchange.ts';

const LIMIT = { side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', price: '99', quantity: '1' };

test('account/commission returns the rates and the discount', () => {
  const exchange = openRestTestExchange();
  const { body } = exchange.request('GET account/commission', {}, 'bob');
  assert.deepEqual(
    ['standardCommission.maker', 'standardCommission.taker', 'taxCommission.buyer'].map((field) => pick(body, field)),
    ['0.00020000', '0.00075000', '0.00000000'],
  );
  assert.deepEqual(pick(body, 'discount'), {
    ...{ enabledForAccount: false, enabledForSymbol: true, discountAsset: 'BNB', discount: '0.25000000' },
  });
});

test('a test order is checked, changes nothing and returns its rates on request', () => {
  const exchange = openRestTestExchange();
  assert.deepEqual(exchange.request('POST order/test', LIMIT).body, {});
  const rates = exchange.request('POST order/test', { ...LIMIT, computeCommissionRates: 'true' }).body;
  assert.equal(pick(rates, 'standardCommissionForOrder.maker'), '0.00100000');
  assert.equal(pick(exchange.request('POST order/test', { ...LIMIT, quantity: '5000' }).body, 'code'), -2010);
  assert.deepEqual([exchange.reports.length, exchange.venue.engine.orders.byId.size], [0, 0]);
});

test('fees are paid in BNB while the balance lasts, then in the received asset', () => {
  const balances = { USDT: '100000', BNB: '0.02' };
  const client = { name: 'ann', apiKey: 'key', secret: 'secret', balances, takerBps: 10, feesInBnb: true };
  const exchange = withRoutes(openTestExchange([client], 100, { others: { BNBUSDT: 500 } }), openLimits());
  const feesOf = () => {
    const { body } = exchange.request('POST order', { side: 'BUY', type: 'MARKET', quantity: '80' });
    const fills = pick(body, 'fills');
    return Array.isArray(fills) ? new Set(fills.map((fill) => pick(fill, 'commissionAsset'))) : undefined;
  };
  assert.deepEqual(feesOf(), new Set(['BNB']));
  assert.deepEqual(feesOf(), new Set(['BTC']));
});
