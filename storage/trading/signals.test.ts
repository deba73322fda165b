import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '#core/ids.ts';
import type { SignalAction } from '#core/order/signal.ts';
import type { Database } from '#storage/postgres/database.ts';
import { createInlet, findInlet } from '#storage/operator/signal-inlets.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { intentOf, type Owner, seedOwner, SYMBOL } from '#test/harness/test-trading.ts';
import { answerSignal, type Inlet, listSignals, pendingSignals, recordSignal } from './signals.ts';
import { createTradingStore } from './trading-store.ts';

const HASH = Buffer.alloc(32, 7);

async function openInlet({ kysely }: Database, { profileId }: Owner, maxAgeSeconds = 60): Promise<Inlet> {
  const id = newId<string>().replaceAll('-', '').slice(-22);
  await createInlet(kysely, { id, profileId, name: 'Charts', secretHash: HASH, maxAgeSeconds });
  const inlet = await findInlet(kysely, id, HASH);
  assert.ok(inlet);
  return inlet;
}

interface Change {
  readonly key?: string;
  readonly action?: SignalAction;
  readonly ageMs?: number;
  readonly symbol?: string;
}

const record = (
  database: Database,
  inlet: Inlet,
  { key = 'one', action = 'buy', ageMs = 0, symbol = SYMBOL }: Change,
) =>
  database.transaction((transaction) =>
    recordSignal(transaction, inlet, { key, symbol, action, at: new Date(Date.now() - ageMs) }),
  );

async function open() {
  const test = await openTestDatabase();
  const { database } = test;
  const owner = await seedOwner(database);
  const inlet = await openInlet(database, owner);
  const store = createTradingStore(database);
  return { test, database, owner, inlet, store };
}

test('a repeated signal is recorded once', async () => {
  const { test: opened, database, inlet, owner } = await open();
  await using _ = opened;
  const first = await record(database, inlet, {});
  const again = await record(database, inlet, { ageMs: 500 });
  assert.deepEqual([first.duplicate, again.duplicate, again.id], [false, true, first.id]);
  assert.equal((await listSignals(database.kysely, owner.profileId, { limit: 10 })).length, 1);
});

for (const { name, change, reason } of [
  { name: 'late', change: { ageMs: 61_000 }, reason: 'signal-late' },
  { name: 'of the future', change: { ageMs: -60_000 }, reason: 'signal-ahead' },
  { name: 'of another coin', change: { symbol: 'NOTBOUND' }, reason: 'signal-unknown-coin' },
])
  test(`a signal that is ${name} is recorded as refused`, async () => {
    const { test: opened, database, inlet, owner } = await open();
    await using _ = opened;
    assert.equal((await record(database, inlet, change)).reason, reason);
    const [row] = await listSignals(database.kysely, owner.profileId, { limit: 10 });
    assert.deepEqual([row?.state, row?.reason], ['refused', reason]);
    assert.deepEqual(await pendingSignals(database, [owner.accountId]), []);
  });

test('of signals that arrive in another order, only the newest waits', async () => {
  const { test: opened, database, inlet, owner } = await open();
  await using _ = opened;
  await record(database, inlet, { key: 'first', ageMs: 3_000 });
  await record(database, inlet, { key: 'third', ageMs: 1_000, action: 'close' });
  const second = await record(database, inlet, { key: 'second', ageMs: 2_000 });
  assert.equal(second.reason, 'signal-overtaken');
  assert.deepEqual(
    (await pendingSignals(database, [owner.accountId])).map(({ key }) => key),
    ['third'],
  );
});

const intentFor = (owner: Owner, signalId: string, expectedVersion = 0) => ({
  ...intentOf(owner, { expectedVersion }),
  signalId,
});

test('the intent of an order takes its signal', async () => {
  const { test: opened, database, inlet, owner, store } = await open();
  await using _ = opened;
  const { id } = await record(database, inlet, {});
  const result = await store.commitIntent(intentFor(owner, id));
  const [row] = await listSignals(database.kysely, owner.profileId, { limit: 1 });
  assert.ok(result.kind === 'committed' || result.kind === 'moved');
  const committed = result.kind === 'committed' ? result : await store.commitIntent(intentFor(owner, id));
  assert.equal(committed.kind, 'committed');
  const [used] = await listSignals(database.kysely, owner.profileId, { limit: 1 });
  assert.equal(used?.state, 'used');
  assert.ok(row);
});

test('of many intents for one signal at once, one commits', async () => {
  const { test: opened, database, inlet, owner, store } = await open();
  await using _ = opened;
  const { id } = await record(database, inlet, {});
  const started = await store.commitIntent(intentOf(owner));
  assert.ok(started.kind === 'committed');
  const { version } = started;
  // Each has another version to expect, as two workers after a crash have.
  const results = await Promise.all(
    Array.from({ length: 12 }, (_each, i) => store.commitIntent(intentFor(owner, id, version + (i % 3)))),
  );
  assert.equal(results.filter(({ kind }) => kind === 'committed').length, 1);
});

test('a second intent for a signal is refused and writes no order', async () => {
  const { test: opened, database, inlet, owner, store } = await open();
  await using _ = opened;
  const { id } = await record(database, inlet, {});
  const first = await store.commitIntent(intentOf(owner));
  assert.ok(first.kind === 'committed');
  const second = await store.commitIntent(intentFor(owner, id, first.version));
  assert.ok(second.kind === 'committed');
  const third = await store.commitIntent(intentFor(owner, id, second.version));
  assert.deepEqual(third, { kind: 'refused', reason: 'signal-used', numbers: {} });
  assert.equal((await store.liveOrders(owner.accountId)).length, 2);
});

test('a sale may not take the signal of a buy', async () => {
  const { test: opened, database, inlet, owner, store } = await open();
  await using _ = opened;
  const { id } = await record(database, inlet, { action: 'close' });
  const first = await store.commitIntent(intentOf(owner));
  assert.ok(first.kind === 'committed');
  assert.equal((await store.commitIntent(intentFor(owner, id, first.version))).kind, 'refused');
});

test('an intent after the end of the validity of its signal is refused', async () => {
  const { test: opened, database, owner, store } = await open();
  await using _ = opened;
  const inlet = await openInlet(database, owner, 5);
  const first = await store.commitIntent(intentOf(owner));
  assert.ok(first.kind === 'committed');
  const { id } = await record(database, inlet, { ageMs: 1_000 });
  await database.pool.query(`alter table signals disable trigger signal_stays;
    update signals set valid_until = clock_timestamp() - interval '1 millisecond';
    alter table signals enable trigger signal_stays`);
  const late = await store.commitIntent(intentFor(owner, id, first.version));
  assert.deepEqual(late, { kind: 'refused', reason: 'signal-expired', numbers: {} });
});

test('a signal that a newer one has replaced places no order', async () => {
  const { test: opened, database, inlet, owner, store } = await open();
  await using _ = opened;
  const first = await store.commitIntent(intentOf(owner));
  assert.ok(first.kind === 'committed');
  const { id } = await record(database, inlet, { key: 'old', ageMs: 2_000 });
  await record(database, inlet, { key: 'new' });
  assert.equal((await store.commitIntent(intentFor(owner, id, first.version))).kind, 'refused');
});

test('an answer ends a signal for good', async () => {
  const { test: opened, database, inlet, owner } = await open();
  await using _ = opened;
  const { id } = await record(database, inlet, {});
  await answerSignal(database.kysely, { id, reason: 'cooldown-loss', numbers: {}, ends: false });
  assert.equal((await pendingSignals(database, [owner.accountId])).length, 1);
  await answerSignal(database.kysely, { id, reason: 'hold-held-already', numbers: {}, ends: true });
  assert.deepEqual(await pendingSignals(database, [owner.accountId]), []);
});
