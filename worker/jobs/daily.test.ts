import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isObject } from '#core/merge.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import { seedOwner } from '#test/harness/test-trading.ts';
import { sendDigests } from './digest.ts';

const log = { info: () => {}, warn: () => {}, error: () => {} };
const resources = new AsyncDisposableStack();
let test_: TestDatabase;
before(async () => {
  test_ = resources.use(await openTestDatabase());
});
after(() => resources.disposeAsync());

test('the digest is sent at nine in the time zone of the operator, once for each profile, with the last day', async () => {
  const { database } = test_;
  const { profileId } = await seedOwner(database);
  await database.kysely.updateTable('users').set({ timezone: 'Asia/Kolkata' }).execute();
  const sent: object[] = [];
  const deps = {
    log,
    liveDemo: false,
    queue: { enqueue: async (...[, data]: unknown[]) => void sent.push(Object(data)) },
  };
  const now = new Date();
  // 03:30 UTC is nine in Kolkata, which is never a whole hour of UTC.
  const nine = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), 3, 40));
  const row = { profile_id: profileId, symbol: 'BTCUSDT', opened_at: nine, net: '12.50' };
  for (const [cycle, hours, reason] of [
    [1, 2, 'exit-trail'],
    [2, 3, 'exit-stop-loss'],
    [3, 4, 'exit-trailing-stop'],
    [4, 5, null],
    [5, 25, 'exit-break-even'],
  ] as const)
    await database.kysely
      .insertInto('closed_cycles')
      .values({ ...row, cycle, exit_reason: reason, closed_at: new Date(nine.getTime() - hours * 3_600_000) })
      .execute();
  for (let hour = 0; hour < 24; hour++) {
    const at = new Date(nine.getTime() + (hour - 12) * 3_600_000);
    await sendDigests({ database }, deps, at);
  }
  assert.equal(sent.length, 1);
  const [first] = sent;
  const notification: unknown = isObject(first) ? first['notification'] : undefined;
  assert.ok(isObject(notification));
  assert.deepEqual([notification['event'], notification['title']], ['digest', 'First: the last day']);
  assert.match(
    String(notification['text']),
    /The profile is enabled\.\n0 executions, 4 closed positions with 50 net \(2 trailing stop, 1 stop loss\)\./,
  );
  await sendDigests({ database }, { ...deps, liveDemo: true }, nine);
  assert.equal(sent.length, 1, 'a live demo sends nothing');
});
