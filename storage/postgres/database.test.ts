import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { type Database, openDatabase } from './database.ts';
import { transactAtOnce } from './statements.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { seedUser } from '#test/harness/test-trading.ts';

const ask = async (db: Database): Promise<number | undefined> =>
  (await sql<{ one: number }>`select 1 as one`.execute(db.kysely)).rows[0]?.one;

const killAll = (db: Database, applicationName: string) =>
  db.pool.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
    applicationName,
  ]);

describe('Database', () => {
  it('survives the loss of idle connections and of one inside a transaction', async () => {
    await using test = await openTestDatabase();
    const lost: Error[] = [];
    const loss = Promise.withResolvers<void>();
    const onConnectionLost = (error: Error): void => {
      lost.push(error);
      loss.resolve();
    };
    await using db = openDatabase(test.url, { applicationName: 'to-be-killed', onConnectionLost });
    await Promise.all([ask(db), ask(db), ask(db)]);
    const open = db.transaction(async (transaction) => {
      await transaction.selectFrom('users').selectAll().execute();
      await killAll(test.database, 'to-be-killed');
      await transaction.selectFrom('users').selectAll().execute();
    });
    await assert.rejects(open);
    await loss.promise;
    assert.ok(lost.length > 0);
    // Each of the three dead connections may fail one query before the pool notices its end.
    const dead = [0, 1, 2];
    for (const _connection of dead) await ask(db).catch(() => {});
    assert.equal(await ask(db), 1);
  });

  it('puts the statement on errors of both ways to query, and no value', async () => {
    await using test = await openTestDatabase();
    const { database } = test;
    const userId = await seedUser(database);
    const row = { user_id: userId, name: 'SecretValue', binance_mode: 'live' } as const;
    const text = 'insert into accounts (id, user_id, name, binance_mode) values ($1, $2, $3, $4)';
    const insert = (id: string) =>
      transactAtOnce(database, [{ name: 'x', text, values: [id, userId, row.name, row.binance_mode] }]);
    await insert('00000000-0000-7000-8000-000000000001');
    const statement = sql`insert into accounts (id, user_id, name, binance_mode) values (gen_random_uuid(), ${userId}, ${row.name}, ${row.binance_mode})`;
    const failures: (() => Promise<unknown>)[] = [
      () => insert('00000000-0000-7000-8000-000000000002'),
      () => statement.execute(database.kysely),
    ];
    for (const fail of failures) {
      const error: unknown = await fail().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      assert.ok(error instanceof Error && 'query' in error && 'detail' in error);
      assert.match(String(error.query), /^insert into accounts .* values \(/);
      assert.match(String(error.detail), /SecretValue/);
      assert.ok(!inspect(error).includes('SecretValue'));
      assert.ok(!JSON.stringify({ ...error, message: error.message }).includes('SecretValue'));
    }
  });

  it('closes without having been used', async () => {
    await using test = await openTestDatabase();
    const db = openDatabase(test.url);
    await db[Symbol.asyncDispose]();
    await assert.rejects(ask(db));
  });
});
