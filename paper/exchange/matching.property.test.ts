import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { add, formatDecimal, ZERO } from '#core/amount/decimal.ts';
import { cancelOrder } from './matching.ts';
import { isOpen } from './order.ts';
import { totalsOf } from './balances.ts';
import { openTestExchange, ordersIn, type TestExchange } from '#test/paper/test-exchange.ts';

const price = fc.integer({ min: 9000, max: 11_000 }).map((cents) => (cents / 100).toFixed(2));
const quantity = fc.integer({ min: 1, max: 3_000_000 }).map((lots) => (lots / 100_000).toFixed(5));
const account = fc.constantFrom('ann', 'bob');
const side = fc.constantFrom('BUY' as const, 'SELL' as const);
const timeInForce = fc.constantFrom('GTC' as const, 'IOC' as const, 'FOK' as const);

const step = fc.oneof(
  fc.record({ kind: fc.constant('limit' as const), account, side, price, quantity, timeInForce }),
  fc.record({ kind: fc.constant('market' as const), account, side, quantity }),
  fc.record({ kind: fc.constant('quote' as const), account, side, amount: price }),
  fc.record({ kind: fc.constant('stop' as const), account, side, price, stopPrice: price, quantity }),
  fc.record({ kind: fc.constant('trade' as const), price, quantity, takerBuys: fc.boolean() }),
  fc.record({ kind: fc.constant('cancel' as const), nth: fc.nat(20) }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function play(exchange: TestExchange, step: Step): void {
  switch (step.kind) {
    case 'limit':
      exchange.place({ ...step, type: 'LIMIT' });
      return;
    case 'market':
      exchange.place({ ...step, type: 'MARKET' });
      return;
    case 'quote':
      exchange.place({ account: step.account, side: step.side, type: 'MARKET', quoteQuantity: step.amount });
      return;
    case 'stop':
      exchange.place({ ...step, type: 'STOP_LOSS_LIMIT' });
      return;
    case 'trade':
      exchange.trade(step.price, step.quantity, step.takerBuys);
      return;
    case 'cancel': {
      const open = [...exchange.venue.engine.orders.open.values()];
      const order = open[step.nth % Math.max(1, open.length)];
      if (order !== undefined)
        cancelOrder(exchange.venue.engine, order, { id: `c-${order.id}`, atMs: exchange.venue.clock.nowMs() });
    }
  }
}

/** Invariants after every step. */
function assertSound(exchange: TestExchange): void {
  const { orders, balances } = exchange.venue.engine;
  for (const total of totalsOf(balances.rows())) assert.equal(total.difference, ZERO, `${total.asset} is conserved`);
  const open = [...orders.byId.values()].filter(isOpen);
  for (const { owner, asset, balance } of balances.rows().filter((row) => !row.owner.startsWith('#'))) {
    const own = open.filter((order) => order.account === owner && (order.side === 'BUY') === (asset === 'USDT'));
    const locks = own.reduce((sum, order) => add(sum, order.locked), ZERO);
    assert.equal(formatDecimal(balance.locked), formatDecimal(locks), `${owner} locks ${asset} for open orders only`);
    assert.ok(balance.free >= 0n && balance.locked >= 0n);
  }
  const book = orders.books.get('BTCUSDT');
  assert.equal(book === undefined ? 0 : ordersIn(book), open.length);
  const [bid, ask] = [book?.bids[0], book?.asks[0]];
  assert.ok(bid === undefined || ask === undefined || bid.price < ask.price, 'the book is never crossed');
}

function assertReportsAgree(exchange: TestExchange): void {
  let lastId = 0;
  for (const report of exchange.reports) {
    assert.ok(report.executionId > lastId, 'execution ids rise');
    lastId = report.executionId;
  }
  for (const order of exchange.venue.engine.orders.byId.values()) {
    const fills = exchange.reports.flatMap((report) =>
      report.order.id === order.id && report.fill !== null ? [report.fill] : [],
    );
    assert.equal(
      fills.reduce((sum, fill) => add(sum, fill.quantity), ZERO),
      order.executed,
    );
    assert.equal(
      fills.reduce((sum, fill) => add(sum, fill.quote), ZERO),
      order.executedQuote,
    );
    assert.ok(order.executed <= order.quantity);
    const limit = order.type === 'MARKET' ? undefined : order.price;
    for (const fill of fills.filter(() => limit !== undefined)) {
      assert.ok(
        order.side === 'BUY' ? fill.price <= order.price : fill.price >= order.price,
        'no fill is worse than the limit',
      );
    }
  }
}

test('for random clients and markets money is conserved, locks match open orders, reports match orders', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
      const exchange = openTestExchange();
      for (const step of steps) {
        play(exchange, step);
        assertSound(exchange);
      }
      assertReportsAgree(exchange);
    }),
    { numRuns: 300 },
  );
});
