import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import { pick } from '#test/paper/client.ts';
import { referenceOf } from '#paper/market/reference.ts';
import { noteReference } from '#paper/market/bucket.ts';
import type { ReferenceRule } from '#paper/market/terms.ts';
import { openRestTestExchange, type RestTestExchange } from '#test/paper/test-exchange-rest.ts';
import { openTestExchange, TEST_SYMBOL } from '#test/paper/test-exchange.ts';

const d = requireDecimal;
const outside = (price: string | null): ReferenceRule => ({
  kind: 'external',
  id: 0,
  price: price === null ? null : d(price),
  atMs: 1,
});

test('the mean counts every trade of the window; the oldest bucket counts with the share inside the window', () => {
  const market = openTestExchange().venue.engine.market(TEST_SYMBOL);
  market.means.length = 0;
  market.terms.reference = { kind: 'mean', bucketCount: 2, bucketWidthMs: 1000 };
  const mean = (nowMs: number) => {
    const price = referenceOf(market, nowMs)?.price ?? null;
    return price === null ? null : formatDecimal(price);
  };
  assert.equal(mean(10_000), null);
  for (const [atMs, price] of [
    [10_000, '100'],
    [10_500, '200'],
    [11_200, '400'],
    [12_900, '700'],
  ] as const)
    noteReference(market, d(price), atMs);
  assert.deepEqual([mean(12_000), mean(12_500), mean(13_000), mean(20_000)], ['350', '416.66666666', '550', null]);
});

/** Offers only at 101 and 130, and a rule that allows 10 % in both directions from 100. */
function openNarrow(reference = outside('100')): RestTestExchange {
  const exchange = openRestTestExchange();
  const market = exchange.venue.engine.market(TEST_SYMBOL);
  market.quote = undefined;
  market.terms.reference = reference;
  const [up, down] = [d('1.1'), d('0.9')];
  market.terms.range = { bidUp: up, bidDown: down, askUp: up, askDown: down };
  for (const price of ['101', '130'])
    exchange.request('POST order', { side: 'SELL', type: 'LIMIT', timeInForce: 'GTC', quantity: '1', price }, 'bob');
  return exchange;
}

const RANGE = 'EXECUTION_RULE_PRICE_RANGE_EXCEEDED';
const LIMIT = { side: 'BUY', type: 'LIMIT', price: '140', quantity: '2' };
for (const { name, params, reference, ends } of [
  {
    name: 'a market order',
    params: { side: 'BUY', type: 'MARKET', quantity: '2' },
    ends: ['EXPIRED', '1.00000000', RANGE],
  },
  {
    name: 'a quote amount',
    params: { side: 'BUY', type: 'MARKET', quoteOrderQty: '200' },
    ends: ['EXPIRED', '1.00000000', RANGE],
  },
  { name: 'a limit order', params: { ...LIMIT, timeInForce: 'GTC' }, ends: ['EXPIRED', '1.00000000', RANGE] },
  { name: 'a FOK order', params: { ...LIMIT, timeInForce: 'FOK' }, ends: ['EXPIRED', '0.00000000', RANGE] },
  {
    name: 'a limit inside',
    params: { ...LIMIT, price: '110', timeInForce: 'GTC' },
    ends: ['PARTIALLY_FILLED', '1.00000000', undefined],
  },
  {
    name: 'a market order while there is no reference price',
    params: { side: 'BUY', type: 'MARKET', quantity: '2' },
    reference: outside(null),
    ends: ['FILLED', '2.00000000', undefined],
  },
]) {
  test(`the price range rule and ${name}`, () => {
    const exchange = openNarrow(reference);
    const { body } = exchange.request('POST order', params);
    assert.deepEqual(
      ['status', 'executedQty', 'expiryReason'].map((field) => pick(body, field)),
      ends,
    );
    assert.equal(exchange.venue.engine.balances.balance('ann', 'USDT').locked > 0n, ends[0] === 'PARTIALLY_FILLED');
  });
}

test('filters use the reference price if there is one', () => {
  const exchange = openNarrow(outside('10'));
  const order = { side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '1', price: '50' };
  assert.equal(exchange.request('POST order', order).status, 200);
  assert.equal(
    pick(exchange.request('POST order', { ...order, price: '50.01' }).body, 'msg'),
    'Filter failure: PERCENT_PRICE_BY_SIDE',
  );
  const small = { side: 'BUY', type: 'MARKET', quantity: '0.4' };
  assert.equal(pick(exchange.request('POST order', small).body, 'msg'), 'Filter failure: NOTIONAL');
});
