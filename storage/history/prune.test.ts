import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId, type OrderId } from '#core/ids.ts';
import { RETENTION } from '#core/installation/settings.ts';
import { storedEvidence, writeEvidence } from '#storage/trading/order-evidence.ts';
import { pruneRecords } from './prune.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { commitNext, seedOwner } from '#test/harness/test-trading.ts';
import { createTradingStore } from '#storage/trading/trading-store.ts';

const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);

test('actions go 90 days after they are finished, evidence after a year unless its order is still alive', async () => {
  await using opened = await openTestDatabase();
  const { database } = opened;
  const owner = await seedOwner(database);
  const action = (name: string, finishedAt: Date | null) => ({
    ...{ id: newId<string>(), account_id: owner.accountId, kind: name, requested_at: daysAgo(400) },
    ...{ expires_at: daysAgo(400), state: finishedAt === null ? ('taken' as const) : ('done' as const) },
    ...{ finished_at: finishedAt, payload: '{}', detail: '{}' },
  });
  const actions = [action('old', daysAgo(91)), action('recent', daysAgo(89)), action('unfinished', null)];
  await database.kysely.insertInto('operator_actions').values(actions).execute();
  const live = await commitNext(createTradingStore(database), owner);
  const evidence = [live.id, newId<OrderId>()].flatMap((orderId) =>
    [366, 364].map((age) => storedEvidence({ orderId, kind: 'request', at: daysAgo(age), detail: { age } })),
  );
  await writeEvidence(database, evidence);

  const kept = await pruneRecords(database, { ...RETENTION.defaults, orderEvidenceDays: null });
  assert.deepEqual([kept['operatorActions'], kept['orderEvidence']], [1, undefined]);
  const pruned = await pruneRecords(database, RETENTION.defaults);
  assert.deepEqual([pruned['operatorActions'], pruned['orderEvidence']], [0, 1]);
  const left = await database.kysely.selectFrom('operator_actions').select('kind').orderBy('kind').execute();
  assert.deepEqual(left, [{ kind: 'recent' }, { kind: 'unfinished' }]);
  const ids = (await database.kysely.selectFrom('order_evidence').select('id').execute()).map(({ id }) => id);
  assert.deepEqual(new Set(ids), new Set(evidence.filter((_, index) => index !== 2).map(({ id }) => id)));
});

test('evidence of an order that was cancelled before it executed anything goes after 30 days, of any other order not', async () => {
  await using opened = await openTestDatabase();
  const { database } = opened;
  const owner = await seedOwner(database);
  const store = createTradingStore(database);
  const ended = [
    { state: 'cancelled', filled_quantity: '0' },
    { state: 'cancelled', filled_quantity: '0.001' },
    { state: 'rejected', filled_quantity: '0' },
  ] as const;
  const orders: OrderId[] = [];
  for (const end of ended) {
    const { id } = await commitNext(store, owner);
    await database.kysely.updateTable('orders').set(end).where('id', '=', id).execute();
    orders.push(id);
  }
  const evidence = orders.flatMap((orderId) =>
    [31, 29].map((age) => storedEvidence({ orderId, kind: 'request', at: daysAgo(age), detail: { age } })),
  );
  await writeEvidence(database, evidence);
  const left = async () =>
    (await database.kysely.selectFrom('order_evidence').select(['id']).execute()).map(({ id }) => id);

  await pruneRecords(database, { ...RETENTION.defaults, orderEvidenceDays: null });
  assert.equal((await left()).length, 6, 'forever is forever');
  assert.equal((await pruneRecords(database, RETENTION.defaults))['orderEvidence'], 1);
  assert.deepEqual(new Set(await left()), new Set(evidence.slice(1).map(({ id }) => id)));
  assert.equal((await pruneRecords(database, { ...RETENTION.defaults, orderEvidenceDays: 7 }))['orderEvidence'], 5);
});

test('log rows of stops that were moved before they sold anything go with the waiting decisions, no other row', async () => {
  await using opened = await openTestDatabase();
  const { database } = opened;
  const { kysely } = database;
  const owner = await seedOwner(database);
  const store = createTradingStore(database);
  const orderOf = async (end: { state: 'cancelled' | 'filled'; filled_quantity: string }): Promise<OrderId> => {
    const { id } = await commitNext(store, owner);
    await kysely.updateTable('orders').set(end).where('id', '=', id).execute();
    return id;
  };
  const moved = await orderOf({ state: 'cancelled', filled_quantity: '0' });
  const sold = await orderOf({ state: 'cancelled', filled_quantity: '0.001' });
  const row = (msg: string, event: string, orderId: OrderId | null, days: number) => ({
    ...{ id: newId<string>(), profile_id: owner.profileId, symbol: 'BTCUSDT', level: 'info' as const, msg },
    ...{ ctx: JSON.stringify({ event, ...(orderId && { orderId }) }), count: 1 },
    ...{ first_at: daysAgo(days), last_at: daysAgo(days), recorded_at: daysAgo(days) },
  });
  const rows = [
    row('moved, old', 'stop_placed', moved, 31),
    row('moved, new', 'stop_placed', moved, 29),
    row('sold', 'stop_placed', sold, 31),
    row('unknown order', 'stop_placed', newId<OrderId>(), 31),
    row('another event', 'order_filled', moved, 31),
    row('no order', 'decision', null, 31),
  ];
  await kysely.insertInto('action_logs').values(rows).execute();
  const left = async () =>
    (await kysely.selectFrom('action_logs').select('msg').orderBy('id').execute()).map(({ msg }) => msg);

  assert.equal((await pruneRecords(database, { ...RETENTION.defaults, debugLogDays: 60 }))['debugLogs'], 0);
  assert.equal((await pruneRecords(database, RETENTION.defaults))['debugLogs'], 1);
  assert.deepEqual(
    await left(),
    rows.slice(1).map(({ msg }) => msg),
  );
});
