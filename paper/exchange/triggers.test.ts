import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal } from '#core/amount/decimal.ts';
import { openTestExchange, type OrderTexts, RICH, type TestExchange } from '#test/paper/test-exchange.ts';

const refusal = (exchange: TestExchange, order: Partial<OrderTexts>): string => {
  const result = exchange.place(order);
  return result.kind === 'refused' ? `${result.code} ${result.message}` : 'accepted';
};

const IMMEDIATELY = '-2010 Order would trigger immediately.';

for (const { type, side, waits, already, fires, holds } of [
  { type: 'STOP_LOSS', side: 'BUY', waits: '101', already: '100', fires: '101', holds: '100.99' },
  { type: 'STOP_LOSS', side: 'SELL', waits: '99', already: '100', fires: '99', holds: '99.01' },
  { type: 'TAKE_PROFIT', side: 'BUY', waits: '99', already: '100', fires: '99', holds: '99.01' },
  { type: 'TAKE_PROFIT', side: 'SELL', waits: '101', already: '100', fires: '101', holds: '100.99' },
] as const) {
  test(`${type} ${side} triggers at its stop price, takes any price, and is refused if it would trigger at once`, () => {
    const exchange = openTestExchange();
    assert.equal(refusal(exchange, { type, side, stopPrice: already, quantity: '1' }), IMMEDIATELY);
    const stop = exchange.accept({ type, side, stopPrice: waits, quantity: '1' }).order;
    exchange.trade(holds, '1', false);
    assert.deepEqual([stop.status, stop.working], ['NEW', false]);
    exchange.trade(fires, '1', false);
    assert.deepEqual([stop.status, stop.working], ['FILLED', true]);
    assert.equal(formatDecimal(stop.locked), '0');
  });

  test(`${type}_LIMIT ${side} waits for the same price and then works at its limit`, () => {
    const exchange = openTestExchange();
    const price = side === 'BUY' ? '98' : '102';
    const limited = { type: `${type}_LIMIT`, side, price, quantity: '1' } as const;
    assert.equal(refusal(exchange, { ...limited, stopPrice: already }), IMMEDIATELY);
    const stop = exchange.accept({ ...limited, stopPrice: waits }).order;
    exchange.trade(fires, '1', false);
    assert.deepEqual([stop.status, stop.working], ['NEW', true]);
    exchange.trade(side === 'BUY' ? '97' : '103', '1', false);
    assert.deepEqual([stop.status, formatDecimal(stop.executed)], ['FILLED', '1']);
  });
}

test('a stop at any price without enough balance expires as rejected', () => {
  const exchange = openTestExchange();
  const stop = exchange.accept({ type: 'STOP_LOSS', stopPrice: '101', quantity: '900' }).order;
  exchange.accept({ price: '90', quantity: '101' });
  exchange.trade('120', '1', true);
  assert.deepEqual([stop.status, stop.expiryReason, formatDecimal(stop.locked)], ['EXPIRED', 'REJECTED', '0']);
});

test('LIMIT_MAKER rests, and is refused when it would take', () => {
  const exchange = openTestExchange();
  assert.equal(
    refusal(exchange, { type: 'LIMIT_MAKER', price: '101', quantity: '1' }),
    '-2010 Order would immediately match and take.',
  );
  const maker = exchange.accept({ type: 'LIMIT_MAKER', price: '99', quantity: '1' }).order;
  assert.deepEqual([maker.status, maker.working], ['NEW', true]);
});

/**
 * The scenarios of the exchange's FAQ on trailing stops. The price starts at 40,000; the last trade triggers the order.
 */
const SCENARIOS = [
  {
    name: 'A: stop-loss-limit buy, stop 44,000, 500 bips',
    order: { type: 'STOP_LOSS_LIMIT', side: 'BUY', stopPrice: '44000', trailingDelta: 500, price: '45000' },
    trades: ['37000', '44000', '45000', '46000', '42000', '44099.99'],
    fires: '44100',
  },
  {
    name: 'B: stop-loss-limit sell, stop 39,000, 1000 bips',
    order: { type: 'STOP_LOSS_LIMIT', side: 'SELL', stopPrice: '39000', trailingDelta: 1000, price: '38000' },
    trades: ['41500', '39000', '37000', '41000', '36900.01'],
    fires: '36900',
  },
  {
    name: 'C: take-profit-limit buy, stop 38,000, 850 bips',
    order: { type: 'TAKE_PROFIT_LIMIT', side: 'BUY', stopPrice: '38000', trailingDelta: 850, price: '38500' },
    trades: ['42000', '38000', '37000', '39000', '38000', '40144.99'],
    fires: '40145',
  },
  {
    name: 'D: take-profit-limit sell, stop 42,000, 750 bips',
    order: { type: 'TAKE_PROFIT_LIMIT', side: 'SELL', stopPrice: '42000', trailingDelta: 750, price: '41000' },
    trades: ['41500', '39000', '42000', '45000', '44000', '46500', '43012.51'],
    fires: '43012.5',
  },
  {
    name: 'E: stop-loss-limit sell without a stop price, 700 bips',
    order: { type: 'STOP_LOSS_LIMIT', side: 'SELL', trailingDelta: 700, price: '39000' },
    trades: ['42000', '39500', '45500', '42315.01'],
    fires: '42315',
  },
] as const;

for (const { name, order, trades, fires } of SCENARIOS) {
  test(`trailing stop scenario ${name}`, () => {
    const exchange = openTestExchange(RICH, 40_000);
    const stop = exchange.accept({ ...order, quantity: '1' }).order;
    for (const price of trades) {
      exchange.trade(price, '0.001', true);
      assert.equal(stop.working, false, `not fired at ${price}`);
    }
    exchange.trade(fires, '0.001', true);
    assert.equal(stop.working, true);
  });
}

test('trailingTime: at once without a stop price, otherwise from the trade that reaches it', () => {
  const exchange = openTestExchange();
  const atOnce = exchange.accept({ type: 'STOP_LOSS', side: 'SELL', trailingDelta: 100, quantity: '1' }).order;
  const later = exchange.accept({
    type: 'STOP_LOSS',
    side: 'SELL',
    stopPrice: '99.5',
    trailingDelta: 100,
    quantity: '1',
  }).order;
  assert.deepEqual([atOnce.trailingMs > 0, later.trailingMs], [true, -1]);
  exchange.trade('99.5', '0.001', true);
  assert.ok(later.trailingMs > 0);
});
