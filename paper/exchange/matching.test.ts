import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add, formatDecimal, ONE, requireDecimal, subtract, ZERO } from '#core/amount/decimal.ts';
import { cancelOrder } from './matching.ts';
import { totalsOf } from './balances.ts';
import { openTestExchange } from '#test/paper/test-exchange.ts';

test('a resting buy locks its quote, fills completely when the price goes through it, and pays the maker fee in base', () => {
  const exchange = openTestExchange();
  const order = exchange.accept({ price: '99.5', quantity: '2' }).order;
  assert.equal(exchange.locked('ann', 'USDT'), '199');
  exchange.trade('99.4', '0.001', false);
  assert.equal(order.status, 'FILLED');
  assert.equal(exchange.free('ann', 'USDT'), '99801');
  assert.equal(exchange.locked('ann', 'USDT'), '0');
  assert.equal(exchange.free('ann', 'BTC'), '101.998');
  assert.deepEqual(
    exchange.reports.map((report) => [report.execution, report.order.status, report.fill?.maker ?? null]),
    [
      ['NEW', 'NEW', null],
      ['TRADE', 'FILLED', true],
    ],
  );
});

test('at its own price a resting order fills only as far as the trade reaches, in order of arrival', () => {
  const exchange = openTestExchange();
  const first = exchange.accept({ price: '99.5', quantity: '1' }).order;
  const second = exchange.accept({ account: 'bob', price: '99.5', quantity: '1' }).order;
  exchange.toFront();
  exchange.trade('99.5', '1.25', false);
  assert.equal(first.status, 'FILLED');
  assert.equal(second.status, 'PARTIALLY_FILLED');
  assert.equal(formatDecimal(second.executed), '0.25');
  assert.equal(exchange.locked('bob', 'USDT'), '74.625');
});

test('a resting order that the makers now offer at fills completely, however small the trade', () => {
  const exchange = openTestExchange();
  const order = exchange.accept({ price: '99.5', quantity: '1' }).order;
  exchange.trade('99.5', '0.001', true);
  assert.equal(order.status, 'FILLED');
});

test('a better price comes before an earlier arrival', () => {
  const exchange = openTestExchange();
  const early = exchange.accept({ price: '99.4', quantity: '1' }).order;
  const better = exchange.accept({ price: '99.5', quantity: '1' }).order;
  exchange.trade('99.45', '0.1', false);
  assert.equal(early.status, 'NEW');
  assert.equal(better.status, 'FILLED');
});

test('a market order walks the ladder, never beats the best price, and pays the taker fee', () => {
  const exchange = openTestExchange();
  const order = exchange.accept({ type: 'MARKET', quantity: '90' }).order;
  assert.equal(order.status, 'FILLED');
  const prices = exchange.reports.flatMap((report) => (report.fill === null ? [] : [report.fill.price]));
  assert.ok(prices.length > 1, 'a large order takes several levels');
  assert.deepEqual(
    prices,
    prices.toSorted((a, b) => (a < b ? -1 : 1)),
  );
  assert.equal(
    formatDecimal(subtract(exchange.venue.engine.balances.balance('ann', 'BTC').free, requireDecimal('100'))),
    '89.91',
  );
  const again = exchange.accept({ type: 'MARKET', quantity: '1' }).order;
  assert.ok(again.executedQuote >= requireDecimal('100'), 'taken volume is gone until the next trade');
});

test('a quote amount buys as many lots as it pays for, and never more', () => {
  const exchange = openTestExchange();
  const order = exchange.accept({ type: 'MARKET', quoteQuantity: '50' }).order;
  assert.equal(order.status, 'FILLED');
  assert.ok(order.executedQuote <= requireDecimal('50'));
  assert.ok(order.executedQuote > requireDecimal('49.9'));
  assert.equal(order.quantity, order.executed);
});

test('clients match each other at the price of the resting order', () => {
  const exchange = openTestExchange();
  const sell = exchange.accept({ account: 'bob', side: 'SELL', price: '100', quantity: '1' }).order;
  exchange.toFront();
  const buy = exchange.accept({ price: '100.5', quantity: '0.4', timeInForce: 'IOC' }).order;
  assert.equal(formatDecimal(sell.executed), '0.4');
  assert.equal(formatDecimal(buy.executedQuote), '40');
  const [maker, taker] = ['bob', 'ann'].map(
    (account) => exchange.reports.find((report) => report.order.account === account && report.fill !== null)?.fill,
  );
  assert.equal(maker?.id, taker?.id);
  assert.equal(formatDecimal(maker?.commission ?? ZERO), '0.008');
  assert.equal(formatDecimal(taker?.commission ?? ZERO), '0.0004');
});

for (const { name, order, status, reason } of [
  {
    name: 'IOC without a match',
    order: { price: '99', quantity: '1', timeInForce: 'IOC' },
    status: 'EXPIRED',
    reason: 'UNFILLED_IOC_QUANTITY_EXPIRED',
  },
  {
    name: 'FOK that cannot fill completely',
    order: { price: '100.01', quantity: '900', timeInForce: 'FOK' },
    status: 'EXPIRED',
    reason: 'UNFILLED_FOK_ORDER_EXPIRED',
  },
  {
    name: 'FOK that can fill completely',
    order: { price: '101', quantity: '1', timeInForce: 'FOK' },
    status: 'FILLED',
    reason: 'NONE',
  },
] as const) {
  test(`${name} ends ${status} and leaves nothing locked`, () => {
    const exchange = openTestExchange();
    const placed = exchange.accept(order).order;
    assert.equal(placed.status, status);
    assert.equal(placed.expiryReason, reason);
    assert.equal(exchange.locked('ann', 'USDT'), '0');
  });
}

test('a stop waits, triggers on the last price, and then is a limit order', () => {
  const exchange = openTestExchange();
  const stop = exchange.accept({
    side: 'SELL',
    type: 'STOP_LOSS_LIMIT',
    price: '97',
    stopPrice: '98',
    quantity: '1',
  }).order;
  assert.deepEqual([stop.working, stop.workingMs, exchange.locked('ann', 'BTC')], [false, -1, '1']);
  exchange.trade('98.01', '1', false);
  assert.equal(stop.status, 'NEW');
  exchange.trade('97.9', '1', false);
  assert.equal(stop.status, 'FILLED');
  assert.ok(stop.executedQuote >= requireDecimal('97') && stop.executedQuote <= requireDecimal('97.9'));
  assert.deepEqual(
    exchange.reports.map((report) => `${report.execution} ${report.order.working}`),
    ['NEW false', 'NEW true', 'TRADE true'],
  );
});

test('a stop whose limit is beyond a price gap rests', () => {
  const exchange = openTestExchange();
  const stop = exchange.accept({
    side: 'SELL',
    type: 'STOP_LOSS_LIMIT',
    price: '97',
    stopPrice: '98',
    quantity: '1',
  }).order;
  exchange.trade('95', '1', false);
  assert.deepEqual([stop.status, stop.working], ['NEW', true]);
  exchange.trade('97.5', '1', true);
  assert.equal(stop.status, 'FILLED');
});

for (const { name, order, message } of [
  {
    name: 'more quote than is free',
    order: { price: '99', quantity: '1100' },
    message: 'Account has insufficient balance for requested action.',
  },
  {
    name: 'a market buy that costs more than is free',
    order: { type: 'MARKET', quantity: '1100' },
    message: 'Account has insufficient balance for requested action.',
  },
  {
    name: 'more base than is free',
    order: { side: 'SELL', type: 'MARKET', quantity: '101' },
    message: 'Account has insufficient balance for requested action.',
  },
  {
    name: 'a sell stop above the price',
    order: { side: 'SELL', type: 'STOP_LOSS_LIMIT', price: '99', stopPrice: '101', quantity: '1' },
    message: 'Order would trigger immediately.',
  },
  {
    name: 'a buy stop below the price',
    order: { type: 'STOP_LOSS_LIMIT', price: '99', stopPrice: '99', quantity: '1' },
    message: 'Order would trigger immediately.',
  },
] as const) {
  test(`${name} is refused and changes nothing`, () => {
    const exchange = openTestExchange();
    const result = exchange.place(order);
    assert.deepEqual(
      [result.kind, result.kind === 'refused' && result.code, result.kind === 'refused' && result.message],
      ['refused', -2010, message],
    );
    assert.equal(exchange.reports.length, 0);
    assert.deepEqual([exchange.free('ann', 'USDT'), exchange.locked('ann', 'USDT')], ['100000', '0']);
  });
}

test('a client id is refused while its order is open and free again afterwards', () => {
  const exchange = openTestExchange();
  const first = exchange.accept({ clientOrderId: 'mine', price: '90', quantity: '1' }).order;
  const twin = exchange.place({ clientOrderId: 'mine', price: '90', quantity: '1' });
  assert.equal(twin.kind === 'refused' && twin.message, 'Duplicate order sent.');
  assert.equal(exchange.place({ account: 'bob', clientOrderId: 'mine', price: '90', quantity: '1' }).kind, 'accepted');
  cancelOrder(exchange.venue.engine, first, { id: 'mine-c', atMs: exchange.venue.clock.nowMs() });
  assert.equal(first.clientOrderId, 'mine-c');
  const next = exchange.accept({ clientOrderId: 'mine', price: '90', quantity: '1' }).order;
  assert.ok(next.id > first.id);
});

test('a cancel unlocks the balance and returns both ids', () => {
  const exchange = openTestExchange();
  const order = exchange.accept({ price: '99.5', quantity: '1' }).order;
  exchange.toFront();
  exchange.trade('99.5', '0.4', false);
  cancelOrder(exchange.venue.engine, order, { id: 'gone', atMs: exchange.venue.clock.nowMs() });
  assert.deepEqual(
    [order.status, exchange.locked('ann', 'USDT'), exchange.free('ann', 'USDT')],
    ['CANCELED', '0', '99960.2'],
  );
});

test('money is conserved', () => {
  const exchange = openTestExchange();
  exchange.accept({ type: 'MARKET', quantity: '3.3' });
  exchange.accept({ account: 'bob', side: 'SELL', type: 'MARKET', quoteQuantity: '77.7' });
  for (const total of totalsOf(exchange.venue.engine.balances.rows())) {
    assert.equal(total.difference, ZERO, total.asset);
    assert.equal(add(add(total.accounts, total.fees), total.market), total.deposits);
  }
});

test('a quote amount above the maximum of a market order is refused', () => {
  const exchange = openTestExchange();
  const result = exchange.place({ type: 'MARKET', quoteQuantity: '13100' });
  assert.equal(result.kind === 'refused' && result.message, 'Filter failure: MARKET_LOT_SIZE');
});

test('a quote amount without any offers is refused', () => {
  const exchange = openTestExchange();
  exchange.venue.engine.market('BTCUSDT').quote = undefined;
  const result = exchange.place({ type: 'MARKET', quoteQuantity: '100' });
  assert.equal(
    result.kind === 'refused' && result.message,
    'Order book liquidity is less than symbol minimum quantity.',
  );
});

test('a quote amount with offers below the minimum of a market order is refused', () => {
  const exchange = openTestExchange();
  const market = exchange.venue.engine.market('BTCUSDT');
  market.quote = undefined;
  exchange.accept({ account: 'bob', side: 'SELL', price: '100', quantity: '0.5' });
  Object.assign(market.listing.rules.marketLot, { min: ONE });
  const result = exchange.place({ type: 'MARKET', quoteQuantity: '100' });
  assert.equal(
    result.kind === 'refused' && result.message,
    'Order book liquidity is less than `MARKET_LOT_SIZE` filter minimum quantity.',
  );
});

test('a quote amount larger than the book ends expired', () => {
  const exchange = openTestExchange();
  exchange.venue.engine.market('BTCUSDT').quote = undefined;
  exchange.accept({ account: 'bob', side: 'SELL', price: '100', quantity: '0.5' });
  const order = exchange.accept({ type: 'MARKET', quoteQuantity: '100' }).order;
  assert.deepEqual(
    [order.status, order.expiryReason, formatDecimal(order.executedQuote)],
    ['EXPIRED', 'INSUFFICIENT_LIQUIDITY', '50'],
  );
  assert.equal(exchange.locked('ann', 'USDT'), '0');
});

for (const { prevention, expected } of [
  { prevention: 'EXPIRE_MAKER', expected: 'Order book liquidity is less than `LOT_SIZE` filter minimum quantity.' },
  { prevention: 'EXPIRE_TAKER', expected: 'EXPIRED_IN_MATCH' },
] as const) {
  test(`a quote amount with only own offers in the book, ${prevention}`, () => {
    const exchange = openTestExchange();
    exchange.venue.engine.market('BTCUSDT').quote = undefined;
    exchange.accept({ side: 'SELL', price: '100', quantity: '1' });
    const result = exchange.place({ type: 'MARKET', quoteQuantity: '50', prevention });
    assert.equal(result.kind === 'refused' ? result.message : result.order.status, expected);
  });
}
