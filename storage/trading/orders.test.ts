import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { maximum, multiply, ZERO } from '#core/amount/decimal.ts';
import { newId, type OrderId } from '#core/ids.ts';
import { isLiveOrder, ORDER_STATES, type OrderState } from '#core/order/order.ts';
import type { TradingStore } from '#core/ports/store.ts';
import { ORDER_MOVES, statesBefore } from './order-moves.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import { AT, commitNext, d, type Owner, seedOwner } from '#test/harness/test-trading.ts';
import { createTradingStore } from './trading-store.ts';

let test: TestDatabase;
let store: TradingStore;
let owner: Owner;
before(async () => {
  test = await openTestDatabase();
  store = createTradingStore(test.database);
  owner = await seedOwner(test.database);
});
after(() => test[Symbol.asyncDispose]());

const FINAL: readonly OrderState[] = ['filled', 'cancelled', 'expired', 'rejected'];

describe('order moves', () => {
  it('never leaves a final state and never goes back to intent', () => {
    for (const state of FINAL) assert.deepEqual(ORDER_MOVES[state], []);
    assert.deepEqual(statesBefore('intent'), []);
  });

  it('lets every live state end, and only conclusions become live again', () => {
    for (const state of ORDER_STATES) {
      if (isLiveOrder(state))
        for (const end of ['filled', 'cancelled', 'expired'] as const) assert.ok(ORDER_MOVES[state].includes(end));
      else if (state !== 'never-arrived') assert.ok(!ORDER_MOVES[state].some(isLiveOrder));
    }
  });

  it('has no way round: unknown and open are never entered twice', () => {
    const reachable = (from: OrderState, seen = new Set<OrderState>()): Set<OrderState> => {
      for (const to of ORDER_MOVES[from]) if (!seen.has(to)) reachable(to, seen.add(to));
      return seen;
    };
    for (const state of ORDER_STATES) if (state !== 'never-arrived') assert.ok(!reachable(state).has(state), state);
  });
});

describe('updateOrder', () => {
  it('follows the table whatever comes in, and amounts never fall', async () => {
    const anyUpdate = fc.record({ state: fc.constantFrom(...ORDER_STATES), filled: fc.integer({ min: 0, max: 9 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(anyUpdate, { minLength: 1, maxLength: 8 }), async (updates) => {
        const order = await commitNext(store, owner);
        let expected: OrderState = 'intent';
        let most = ZERO;
        for (const { state, filled } of updates) {
          const filledQuantity = multiply(d(String(filled)), d('0.1'));
          const record = await store.updateOrder(order.id, { state, filledQuantity, reason: state });
          const previous: OrderState = expected;
          if (ORDER_MOVES[previous].includes(state)) expected = state;
          most = maximum(most, filledQuantity);
          assert.equal(record.state, expected);
          assert.equal(record.filledQuantity, most);
          if (expected !== state) assert.notEqual(record.reason, state);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('keeps the first exchange id, the payload and the newest market time', async () => {
    const order = await commitNext(store, owner);
    const later = new Date(AT.getTime() + 5_000);
    const payload = { code: -2010, msg: 'Account has \0 insufficient balance \ud800.' };
    await store.updateOrder(order.id, { state: 'open', exchangeOrderId: '5', at: later });
    const record = await store.updateOrder(order.id, { state: 'expired', exchangeOrderId: '6', payload, at: AT });
    assert.deepEqual([record.exchangeOrderId, record.updatedAt, record.state], ['5', later, 'expired']);
    assert.deepEqual(record.payload, { code: -2010, msg: 'Account has \ufffd insufficient balance \ufffd.' });
    assert.equal(record.reason, order.reason);
  });

  it('lists live orders only, oldest first, of one account', async () => {
    await using own = await openTestDatabase();
    const fresh = createTradingStore(own.database);
    const someone = await seedOwner(own.database);
    const states = ['filled', 'open', 'unknown', 'never-arrived', 'partially-filled'] as const;
    const kept: string[] = [];
    for (const state of states) {
      const order = await commitNext(fresh, someone);
      await fresh.updateOrder(order.id, { state });
      if (isLiveOrder(state)) kept.push(order.id);
    }
    assert.deepEqual(
      (await fresh.liveOrders(someone.accountId)).map((order) => order.id),
      kept,
    );
  });

  it('throws for an order that is not there', async () => {
    await assert.rejects(store.updateOrder(newId<OrderId>(), { state: 'open' }), /There is no order/);
  });
});
