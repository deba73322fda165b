import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pick } from '#test/paper/client.ts';
import { openRestTestExchange } from '#test/paper/test-exchange-rest.ts';
import { RICH } from '#test/paper/test-exchange.ts';

test('myFilters lists the limits that apply', () => {
  const { body } = openRestTestExchange().request('GET myFilters');
  assert.equal(pick(body, 'exchangeFilters.0.filterType'), 'EXCHANGE_MAX_NUM_ORDERS');
  assert.ok(JSON.stringify(pick(body, 'symbolFilters')).includes('"maxNumAlgoOrders":5'));
});

test('the asset limit of an account applies to one order, and myFilters lists it', () => {
  const exchange = openRestTestExchange(RICH.map((account) => ({ ...account, assetLimits: { BTC: '2', ETH: '1' } })));
  const order = { side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', price: '99', quantity: '2' };
  assert.equal(exchange.request('POST order', order).status, 200);
  const refused = exchange.request('POST order', { ...order, quantity: '2.00001' }).body;
  assert.deepEqual(refused, { code: -1013, msg: 'Filter failure: MAX_ASSET' });
  assert.deepEqual(pick(exchange.request('GET myFilters').body, 'assetFilters'), [
    { filterType: 'MAX_ASSET', asset: 'BTC', limit: '2.00000000' },
  ]);
});
