// The queue at one price: which order is matched first, and which quantity a trade at that price leaves.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  add,
  type Decimal,
  formatDecimal,
  maximum,
  minimum,
  requireDecimal,
  subtract,
  ZERO,
} from '#core/amount/decimal.ts';
import { bookOf } from './orders.ts';
import { shownByMakers } from './queue.ts';
import { openTestExchange, type TestExchange, TEST_SYMBOL } from '#test/paper/test-exchange.ts';
import { depthOf } from './taker.ts';

const best = (exchange: TestExchange) => {
  const [bid] = depthOf(
    bookOf(exchange.venue.engine.orders, TEST_SYMBOL),
    exchange.venue.engine.market(TEST_SYMBOL),
    1,
  ).bids;
  assert.ok(bid !== undefined);
  return { price: formatDecimal(bid.price), shown: bid.quantity };
};
const lots = (quantity: Decimal): string => formatDecimal(quantity);
const plus = (quantity: Decimal, more: string): string => lots(add(quantity, requireDecimal(more)));

test("a client's order is behind what the market makers showed when it came", () => {
  const exchange = openTestExchange();
  const { price, shown } = best(exchange);
  const mine = exchange.accept({ account: 'bob', price, quantity: '1' }).order;
  assert.equal(mine.ahead, shown);
  const small = exchange.accept({ side: 'SELL', type: 'LIMIT', timeInForce: 'IOC', price, quantity: '0.5' }).order;
  assert.deepEqual([small.status, lots(mine.executed)], ['FILLED', '0'], 'the market makers came first');
  const rest = subtract(shown, requireDecimal('0.5'));
  exchange.accept({ side: 'SELL', type: 'LIMIT', timeInForce: 'IOC', price, quantity: plus(rest, '0.25') });
  assert.deepEqual([lots(mine.executed), lots(mine.ahead)], ['0.25', '0']);
});

test('trades at the price use up the volume ahead, then fill; a trade beyond the price fills the rest', () => {
  const exchange = openTestExchange();
  const { price, shown } = best(exchange);
  const mine = exchange.accept({ account: 'bob', price, quantity: '1' }).order;
  exchange.trade(price, lots(subtract(shown, requireDecimal('0.1'))), false);
  assert.deepEqual([lots(mine.executed), lots(mine.ahead)], ['0', '0.1']);
  exchange.trade(price, '0.4', false);
  assert.deepEqual([lots(mine.executed), lots(mine.ahead)], ['0.3', '0']);
  exchange.trade(lots(subtract(requireDecimal(price), requireDecimal('0.01'))), '0.00001', false);
  assert.equal(mine.status, 'FILLED');
});

test('of two clients at one price the earlier one fills first, then the volume between them', () => {
  const exchange = openTestExchange();
  const { price, shown } = best(exchange);
  const first = exchange.accept({ price, quantity: '1' }).order;
  const second = exchange.accept({ account: 'bob', price, quantity: '1' }).order;
  // The makers show more volume since the first order came.
  second.ahead = add(shown, requireDecimal('2'));
  exchange.trade(price, plus(shown, '1.5'), false);
  assert.deepEqual([first.status, lots(second.executed), lots(second.ahead)], ['FILLED', '0', '1.5']);
  exchange.trade(price, '1.75', false);
  assert.equal(lots(second.executed), '0.25');
});

test('the next slice of an iceberg joins behind everything at its price', () => {
  const exchange = openTestExchange();
  const { price } = best(exchange);
  const iceberg = exchange.accept({ account: 'bob', price, quantity: '2', icebergQuantity: '1' }).order;
  exchange.toFront();
  exchange.accept({ side: 'SELL', type: 'LIMIT', timeInForce: 'IOC', price, quantity: '1.5' });
  assert.equal(lots(iceberg.executed), '1', 'after its slice the market makers');
  const shown = shownByMakers(exchange.venue.engine.market(TEST_SYMBOL), iceberg);
  assert.ok(shown > ZERO);
});

test('the depth is the sum of all orders at a price, in any order of arrival', () => {
  const exchange = openTestExchange();
  const { price, shown } = best(exchange);
  exchange.accept({ price, quantity: '1' });
  assert.deepEqual(best(exchange), { price, shown: add(shown, requireDecimal('1')) });
});

const amount = fc.integer({ min: 1, max: 9_000_000 }).map((count) => (count / 100_000).toFixed(5));

for (const byClient of [false, true]) {
  const who = byClient ? 'clients' : 'the market';
  test(`however trades of ${who} are split, an order fills by their volume beyond the volume ahead`, () => {
    fc.assert(
      fc.property(amount, fc.array(amount, { minLength: 1, maxLength: 12 }), (quantity, trades) => {
        const exchange = openTestExchange();
        const { price, shown } = best(exchange);
        const mine = exchange.accept({ account: 'bob', price, quantity }).order;
        let taken = ZERO;
        for (const each of trades) {
          if (byClient) {
            const order = { side: 'SELL', type: 'LIMIT', timeInForce: 'IOC', price, quantity: each } as const;
            const result = exchange.place(order);
            taken = add(taken, result.kind === 'accepted' ? result.order.executed : ZERO);
          } else {
            exchange.trade(price, each, false);
            taken = add(taken, requireDecimal(each));
          }
          assert.equal(mine.executed, minimum(maximum(subtract(taken, shown), ZERO), mine.quantity));
          assert.equal(mine.ahead, maximum(subtract(shown, taken), ZERO));
        }
      }),
      { numRuns: 200 },
    );
  });
}
