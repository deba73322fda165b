import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId, type UserId } from '#core/ids.ts';
import { done, refused } from '#core/order/operator-action.ts';
import type { Database } from '#storage/postgres/database.ts';
import { acquireLease } from '#storage/postgres/leases.ts';
import { Listener } from '#storage/postgres/listener.ts';
import { ACTION_CHANNEL, finishAction, readAction, requestAction, claimActions } from './operator-actions.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { intentOf, type Owner, requireCommitted, seedOwner } from '#test/harness/test-trading.ts';
import { createTradingStore } from './trading-store.ts';

async function ask(db: Database, { accountId }: Owner, validSeconds?: number): Promise<string> {
  const { user_id } = await db.kysely.selectFrom('accounts').select('user_id').executeTakeFirstOrThrow();
  const request = { accountId, kind: 'wave', payload: { hand: 'left' }, requestedBy: user_id };
  const input = { ...request, ...(validSeconds !== undefined && { validSeconds }) };
  return db.transaction(async (transaction) => (await requestAction(transaction, input)).id);
}

const take = async (db: Database, { accountId }: Owner, fencing: number, inHand: string[] = []) =>
  (await claimActions(db, { accountId, fencing, inHand })).map(({ id, resumed }) => (resumed ? `again ${id}` : id));

const outcomeOf = async (db: Database, { accountId }: Owner, id: string) => {
  const action = await readAction(db.kysely, accountId, id);
  return [action?.state, action?.reason];
};

test('actions are taken in order by the owner of the lease alone, and finished once', async () => {
  await using opened = await openTestDatabase();
  const db = opened.database;
  const owner = await seedOwner(db);
  const ids = [await ask(db, owner), await ask(db, owner), await ask(db, owner)];
  assert.deepEqual(await take(db, owner, owner.fencing - 1), []);
  assert.deepEqual(await take(db, owner, owner.fencing), ids);
  assert.deepEqual(await take(db, owner, owner.fencing, ids), [], 'they are in hand');
  const [id = ''] = ids;
  assert.equal(await finishAction(db, { id, fencing: owner.fencing }, done({ waved: true })), true);
  assert.equal(await finishAction(db, { id, fencing: owner.fencing }, refused('Too late.')), false);
  assert.deepEqual(await outcomeOf(db, owner, id), ['done', null]);
  assert.equal(await readAction(db.kysely, newId(), id), undefined, 'of another account');
});

test('actions that a dead worker left are taken up by the next owner, and only that one decides them', async () => {
  await using opened = await openTestDatabase();
  const db = opened.database;
  const owner = await seedOwner(db);
  const id = await ask(db, owner);
  await take(db, owner, owner.fencing);
  const request = { ...intentOf(owner), actionId: id };
  const { record, version } = requireCommitted(await createTradingStore(db).commitIntent(request));
  await db.kysely
    .updateTable('account_leases')
    .set({ expires_at: new Date(0) })
    .execute();
  assert.deepEqual(await take(db, owner, owner.fencing), [], 'the lease has run out');
  const lease = await acquireLease(db, { accountId: owner.accountId, holder: 'worker-2', ttlMs: 60_000 });
  const fencing = lease?.fencing ?? 0;
  const [again] = await claimActions(db, { accountId: owner.accountId, fencing, inHand: [] });
  assert.deepEqual([again?.resumed, again?.clientOrderId], [true, record.clientOrderId]);
  assert.equal(await finishAction(db, { id, fencing: owner.fencing }, done()), false, 'the old owner is too late');
  const second = { ...intentOf({ ...owner, fencing }, { expectedVersion: version }), actionId: id };
  await assert.rejects(createTradingStore(db).commitIntent(second), /orders_by_action/);
  assert.equal(await finishAction(db, { id, fencing }, done()), true);
});

test('a cancel that a dead worker left names its order, which may be cancelled already', async () => {
  await using opened = await openTestDatabase();
  const db = opened.database;
  const owner = await seedOwner(db);
  const { record } = requireCommitted(await createTradingStore(db).commitIntent(intentOf(owner)));
  await createTradingStore(db).updateOrder(record.id, { state: 'cancelled' });
  const { user_id } = await db.kysely.selectFrom('accounts').select('user_id').executeTakeFirstOrThrow();
  const cancel = { accountId: owner.accountId, kind: 'cancel-order', requestedBy: user_id };
  await db.transaction(async (open) => {
    await requestAction(open, { ...cancel, payload: { orderId: record.id } });
    await requestAction(open, { ...cancel, payload: { orderId: 'none' } });
  });
  const claim = () => claimActions(db, { ...owner, inHand: [] });
  assert.deepEqual(
    (await claim()).map(({ clientOrderId }) => clientOrderId),
    [null, null],
    'a cancel that starts looks at the open orders',
  );
  assert.deepEqual(
    (await claim()).map(({ clientOrderId }) => clientOrderId),
    [record.clientOrderId, null],
  );
});

test('actions that are not started in time expire, and read as expired while no worker runs', async () => {
  await using opened = await openTestDatabase();
  const db = opened.database;
  const owner = await seedOwner(db);
  const id = await ask(db, owner, 0);
  const expired = await outcomeOf(db, owner, id);
  assert.equal(expired[0], 'expired');
  assert.deepEqual(await take(db, owner, owner.fencing), []);
  assert.deepEqual(await outcomeOf(db, owner, id), expired);
  assert.equal(await finishAction(db, { id, fencing: owner.fencing }, done()), false);
});

test('actions are published when the request commits, and not before', async () => {
  await using opened = await openTestDatabase();
  const db = opened.database;
  const owner = await seedOwner(db);
  await using listener = new Listener(opened.url);
  const reported: string[] = [];
  const received = Promise.withResolvers<void>();
  await using _subscription = await listener.subscribe(ACTION_CHANNEL, (accountId) => {
    reported.push(accountId);
    received.resolve();
  });
  const request = { accountId: owner.accountId, kind: 'wave', requestedBy: newId<UserId>() };
  await assert.rejects(
    db.transaction((transaction) => requestAction(transaction, request)),
    /foreign key/,
  );
  await ask(db, owner);
  await received.promise;
  assert.deepEqual(reported, [owner.accountId]);
});
