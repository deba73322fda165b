import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireDecimal as d, ZERO } from '#core/amount/decimal.ts';
import type { ExchangeOrder } from '#core/order/exchange-order.ts';
import {
  databaseTime,
  listOrphans,
  orphanLocks,
  recordedClientIds,
  recordOrphans,
  resolveOrphan,
  trackedClientIds,
} from './orphan-orders.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { commitNext, seedOwner, SYMBOL } from '#test/harness/test-trading.ts';
import { createTradingStore } from './trading-store.ts';

const orderOf = (exchangeOrderId: string, clientOrderId = `web_${exchangeOrderId}`): ExchangeOrder => ({
  ...{ symbol: SYMBOL, exchangeOrderId, clientOrderId, side: 'sell', state: 'open', type: 'LIMIT' },
  ...{ quantity: d('2'), filledQuantity: ZERO, filledQuote: ZERO, price: d('100'), stopPrice: ZERO },
  updatedAt: new Date(0),
});
const lock = { exchangeOrderId: '1', baseAsset: 'BTC', asset: 'BTC', amount: d('2'), listId: null };

test('open orders appear and disappear, and never undo a decision made after the exchange was queried', async () => {
  await using own = await openTestDatabase();
  const { database } = own;
  const { accountId } = await seedOwner(database);
  const see = async (orders: readonly ExchangeOrder[], asOf?: Date) =>
    recordOrphans(database, {
      accountId,
      asOf: asOf ?? (await databaseTime(database)),
      seen: orders.map((order) => ({ order, lock })),
    });
  const states = async () =>
    Object.fromEntries(
      (await listOrphans(database.kysely, accountId)).map((row) => [row.exchange_order_id, row.state]),
    );
  const decide = (exchangeOrderId: string, state: 'left' | 'cancelled') =>
    resolveOrphan(database.kysely, { accountId, symbol: SYMBOL, exchangeOrderId }, state);
  const first = await see([orderOf('1'), orderOf('2'), orderOf('3')]);
  assert.deepEqual(
    first.map((row) => row.exchange_order_id),
    ['1', '2', '3'],
  );
  assert.deepEqual(await see([orderOf('1'), orderOf('2'), orderOf('3')]), []);
  assert.ok(await decide('1', 'left'));
  const before = await databaseTime(database);
  assert.ok(await decide('2', 'cancelled'));
  assert.ok(!(await decide('2', 'left')));
  await see([orderOf('1'), orderOf('2'), orderOf('3')], before);
  assert.deepEqual(await states(), { 1: 'left', 2: 'cancelled', 3: 'open' });
  await see([orderOf('1'), orderOf('2')]);
  assert.deepEqual(await states(), { 1: 'left', 2: 'open', 3: 'gone' });
  // After a wipe of a test exchange the same number is another order.
  await see([orderOf('1', 'web_other')]);
  assert.deepEqual(await states(), { 1: 'open', 2: 'gone', 3: 'gone' });
  assert.deepEqual(await orphanLocks(database.kysely, accountId), [{ ...lock, left: false }]);
});

test('an order is tracked while its profile has the coin, whatever its state here', async () => {
  await using own = await openTestDatabase();
  const { database } = own;
  const owner = await seedOwner(database);
  const { clientOrderId } = await commitNext(createTradingStore(database), owner);
  const tracked = () => trackedClientIds(database.kysely, owner.accountId, [clientOrderId, 'web_1']);
  assert.deepEqual([...(await tracked())], [clientOrderId]);
  await database.kysely.updateTable('orders').set({ state: 'never-arrived' }).execute();
  assert.deepEqual([...(await tracked())], [clientOrderId]);
  await database.kysely.deleteFrom('profile_symbols').where('symbol', '=', SYMBOL).execute();
  assert.deepEqual([...(await tracked())], []);
  const profile = { id: owner.profileId, accountId: owner.accountId };
  const recorded = await recordedClientIds(database.kysely, profile, [orderOf('1', clientOrderId), orderOf('2')]);
  assert.deepEqual([...recorded], [clientOrderId]);
});
