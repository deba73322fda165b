import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, subtract, ZERO } from '#core/amount/decimal.ts';
import type { Order } from './order.ts';
import type { PreventionMode } from '#paper/market/order-types.ts';
import { executionReport, placedOrder, preventedMatch, queriedOrder } from '#paper/rest/order-json.ts';
import { bookOf, preventedOf } from './orders.ts';
import { openTestExchange } from '#test/paper/test-exchange.ts';
import { depthOf } from './taker.ts';

const stateOf = (order: Order): string =>
  `${order.status} executed ${formatDecimal(order.executed)} prevented ${formatDecimal(order.prevented)}`;

/** A buy of 2 at the best bid, then a sell of the same account at that price. */
function selfTrade(prevention: PreventionMode, selling: string, account = 'ann') {
  const exchange = openTestExchange();
  const { order: maker } = exchange.accept({ type: 'LIMIT_MAKER', price: '99.99', quantity: '2' });
  return {
    exchange,
    maker,
    result: exchange.accept({ account, side: 'SELL', price: '99.9', quantity: selling, prevention }),
  };
}

for (const { mode, selling, maker, taker } of [
  {
    mode: 'NONE',
    selling: '1',
    maker: 'PARTIALLY_FILLED executed 1 prevented 0',
    taker: 'FILLED executed 1 prevented 0',
  },
  {
    mode: 'EXPIRE_TAKER',
    selling: '1',
    maker: 'NEW executed 0 prevented 0',
    taker: 'EXPIRED_IN_MATCH executed 0 prevented 1',
  },
  {
    mode: 'EXPIRE_BOTH',
    selling: '1',
    maker: 'EXPIRED_IN_MATCH executed 0 prevented 2',
    taker: 'EXPIRED_IN_MATCH executed 0 prevented 1',
  },
  {
    mode: 'DECREMENT',
    selling: '0.5',
    maker: 'NEW executed 0 prevented 0.5',
    taker: 'EXPIRED_IN_MATCH executed 0 prevented 0.5',
  },
  {
    mode: 'DECREMENT',
    selling: '2',
    maker: 'EXPIRED_IN_MATCH executed 0 prevented 2',
    taker: 'EXPIRED_IN_MATCH executed 0 prevented 2',
  },
] as const) {
  test(`${mode}, selling ${selling} to one's own bid for 2`, () => {
    const traded = selfTrade(mode, selling);
    assert.deepEqual([stateOf(traded.maker), stateOf(traded.result.order)], [maker, taker]);
    const { balances, orders } = traded.exchange.venue.engine;
    assert.equal(balances.balance('ann', 'BTC').locked, traded.result.order.locked);
    assert.equal(balances.balance('ann', 'USDT').locked, traded.maker.locked);
    assert.equal(preventedOf(orders, 'ann', 'BTCUSDT').length, mode === 'NONE' ? 0 : 1);
  });
}

test('EXPIRE_MAKER ends the resting order and continues with the market makers', () => {
  const traded = selfTrade('EXPIRE_MAKER', '1');
  assert.equal(stateOf(traded.maker), 'EXPIRED_IN_MATCH executed 0 prevented 2');
  assert.equal(stateOf(traded.result.order), 'FILLED executed 1 prevented 0');
});

test('a trade with another account is no self-trade in any mode', () => {
  const traded = selfTrade('EXPIRE_BOTH', '1', 'bob');
  assert.equal(stateOf(traded.result.order), 'FILLED executed 1 prevented 0');
});

test('a prevented match is in the placement, the query, the stream and the list of prevented matches', () => {
  const { exchange, maker, result } = selfTrade('EXPIRE_BOTH', '1');
  assert.deepEqual(placedOrder(result, 'FULL')['preventedMatches'], [
    {
      preventedMatchId: 0,
      makerOrderId: maker.id,
      price: '99.99000000',
      takerPreventedQuantity: '1.00000000',
      makerPreventedQuantity: '2.00000000',
    },
  ]);
  assert.equal(queriedOrder(maker)['preventedQuantity'], '2.00000000');
  const [match] = preventedOf(exchange.venue.engine.orders, 'ann', 'BTCUSDT');
  assert.equal(match && preventedMatch(match)['selfTradePreventionMode'], 'EXPIRE_BOTH');
  const events = exchange.reports.filter((report) => report.execution === 'TRADE_PREVENTION').map(executionReport);
  assert.deepEqual(
    events.map((event) => [event['i'], event['X'], event['A'], event['B'], event['U'], event['l'], event['t']]),
    [
      [maker.id, 'EXPIRED_IN_MATCH', '2.00000000', '2.00000000', result.order.id, '0.00000000', -1],
      [result.order.id, 'EXPIRED_IN_MATCH', '1.00000000', '1.00000000', maker.id, '0.00000000', -1],
    ],
  );
});

test('an iceberg shows one slice at a time, and the next goes behind other orders of its price', () => {
  const exchange = openTestExchange();
  const market = exchange.venue.engine.market('BTCUSDT');
  market.quote = undefined;
  const hidden = exchange.accept({ price: '99', quantity: '3', icebergQuantity: '1' }).order;
  const plain = exchange.accept({ account: 'bob', price: '99', quantity: '1' }).order;
  exchange.trade('99', '2.5', false);
  assert.deepEqual([formatDecimal(hidden.executed), formatDecimal(plain.executed)], ['1.5', '1']);
  market.quote = undefined;
  exchange.trade('99', '1', false);
  assert.deepEqual([formatDecimal(hidden.executed), formatDecimal(hidden.shown)], ['2.5', '0.5']);
});

test('the depth contains only the shown slice of an iceberg', () => {
  const exchange = openTestExchange();
  const market = exchange.venue.engine.market('BTCUSDT');
  const offered = () =>
    depthOf(bookOf(exchange.venue.engine.orders, 'BTCUSDT'), market, 1).bids.find(
      (level) => formatDecimal(level.price) === '99.99',
    )?.quantity ?? ZERO;
  const makers = offered();
  exchange.accept({ type: 'LIMIT_MAKER', price: '99.99', quantity: '3', icebergQuantity: '1' });
  assert.equal(formatDecimal(subtract(offered(), makers)), '1');
});

test('an iceberg shows no more than its remaining quantity', () => {
  const exchange = openTestExchange();
  exchange.venue.engine.market('BTCUSDT').quote = undefined;
  exchange.accept({ account: 'bob', price: '99', quantity: '2.5' });
  const iceberg = exchange.accept({ side: 'SELL', price: '99', quantity: '3', icebergQuantity: '1.5' }).order;
  exchange.trade('99', '5', true);
  assert.deepEqual([iceberg.status, formatDecimal(iceberg.executed)], ['FILLED', '3']);
});
