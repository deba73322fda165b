import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CacheError } from '#storage/cache/cache-limits.ts';
import { openDatabase } from '#storage/postgres/database.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { readOperator } from '#storage/operator/users.ts';
import { isUnavailable, isUnstorable, outageOf } from './unavailable.ts';

const caught = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
};

test('a server that is not there is unavailable, by number and by name', async () => {
  for (const host of ['127.0.0.1', 'localhost']) {
    await using database = openDatabase(`postgres://nobody:x@${host}:1/none`);
    assert.equal(isUnavailable(await caught(readOperator(database.kysely))), true, host);
  }
});

test('a connection that the server ends in the middle of a query is unavailable', async () => {
  await using opened = await openTestDatabase();
  const { pool } = opened.database;
  assert.equal(isUnavailable(await caught(pool.query('select pg_terminate_backend(pg_backend_pid())'))), true);
});

test('a database that takes no writes is unavailable, says so, and has stored nothing', async () => {
  await using opened = await openTestDatabase();
  const { pool } = opened.database;
  const refused = await caught(pool.query('begin read only; create table nothing (id int)'));
  await pool.query('rollback');
  const full = Object.assign(new Error('could not extend file'), { code: '53100' });
  for (const [error, words] of [
    [refused, /^The database is read-only: nothing was stored\./],
    [full, /^The disk of the database is full: nothing was stored\./],
  ] as const) {
    assert.equal(isUnavailable(error), true);
    assert.match(outageOf(error).sentence, words);
    assert.equal(outageOf(error).stored, 'nothing');
  }
  for (const code of ['53200', '53300', '57P01', '57P02', '57P03', '25P03', '08006'])
    assert.equal(isUnavailable(Object.assign(new Error('x'), { code })), true, code);
  assert.equal(outageOf(new CacheError('away')).stored, 'unknown');
});

test('a failing cache store is unavailable, also as a cause', () => {
  assert.equal(isUnavailable(new CacheError('The cache store is away.')), true);
  assert.equal(isUnavailable(new Error('outer', { cause: new CacheError('away') })), true);
});

test('a programming error is not an outage, and a bad value has its own answer', async () => {
  await using opened = await openTestDatabase();
  const { pool } = opened.database;
  const mistake = await caught(pool.query('select nothing from nowhere'));
  assert.deepEqual([isUnavailable(mistake), isUnstorable(mistake)], [false, false]);
  const value = await caught(pool.query('select $1::timestamptz', ['0000-01-01T00:00:00Z']));
  assert.deepEqual([isUnavailable(value), isUnstorable(value)], [false, true]);
  assert.equal(isUnavailable('text'), false);
});
