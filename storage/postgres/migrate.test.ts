import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openDatabase } from './database.ts';
import {
  DatabaseUnreachable,
  latestMigrationAppliedAt,
  MigrationError,
  migrateDatabase,
  requireCurrentSchema,
} from './migrate.ts';
import { readMigrationFiles } from './migration-files.ts';
import { openEmptyDatabase, openTestDatabase } from '#test/harness/test-database.ts';

const ONE = { '0001-one.sql': 'create table one (id integer);' };
const TWO = { ...ONE, '0002-two.sql': '-- breaking\ncreate table two (id integer);' };

async function folderOf(files: Readonly<Record<string, string>>): Promise<{ url: URL } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'tradewind-migrations-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  return { url: pathToFileURL(`${path}/`), [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

async function migrateTo(url: string, files: Readonly<Record<string, string>>) {
  await using folder = await folderOf(files);
  return await migrateDatabase(url, { folder: folder.url });
}

describe('migrateDatabase', () => {
  it('applies what is missing once, also when several processes start together', async () => {
    await using empty = await openEmptyDatabase();
    const first = await migrateTo(empty.url, ONE);
    assert.deepEqual(first.applied, ['0001-one']);
    const reports = await Promise.all(Array.from({ length: 4 }, () => migrateTo(empty.url, TWO)));
    assert.deepEqual(
      reports.flatMap((report) => report.applied),
      ['0002-two'],
    );
    const [second] = reports;
    assert.ok(second !== undefined && second.latestAppliedAt > first.latestAppliedAt);
    await using db = openDatabase(empty.url);
    assert.deepEqual(await latestMigrationAppliedAt(db), second.latestAppliedAt);
    const rows = await db.kysely
      .selectFrom('schema_migrations')
      .select(['name', 'breaking'])
      .orderBy('number')
      .execute();
    assert.deepEqual(rows, [
      { name: '0001-one', breaking: false },
      { name: '0002-two', breaking: true },
    ]);
  });

  it('refuses a migration that changed, but not other line ends', async () => {
    await using empty = await openEmptyDatabase();
    await migrateTo(empty.url, { '0001-one.sql': 'create table one (\n id integer);' });
    await migrateTo(empty.url, { '0001-one.sql': 'create table one (\r\n id integer);' });
    const changed = migrateTo(empty.url, { '0001-one.sql': 'create table one (\n id bigint);' });
    await assert.rejects(changed, {
      name: 'MigrationError',
      message: /^Migration 0001-one has changed since it was applied here on /,
    });
  });

  it('refuses a database of a newer version and names the migration', async () => {
    await using empty = await openEmptyDatabase();
    await migrateTo(empty.url, TWO);
    await assert.rejects(migrateTo(empty.url, ONE), {
      name: 'MigrationError',
      message: /holds migration 0002-two,.*Upgrade the code/,
    });
  });

  it('keeps nothing of a migration that fails', async () => {
    await using empty = await openEmptyDatabase();
    const broken = { ...ONE, '0002-two.sql': 'create table two (id integer); create table one (id integer);' };
    await assert.rejects(migrateTo(empty.url, broken), {
      name: 'MigrationError',
      message: /^Migration 0002-two failed and nothing of it was kept: relation "one" already exists/,
    });
    assert.deepEqual((await migrateTo(empty.url, TWO)).applied, ['0002-two']);
  });
});

describe('migrateDatabase refuses', () => {
  it('doubles and odd names; a number may be left out', async () => {
    for (const name of ['0001-double.sql', 'two.sql']) {
      await using folder = await folderOf({ ...ONE, [name]: 'select 1;' });
      await assert.rejects(readMigrationFiles(folder.url), MigrationError, name);
    }
    await using gap = await folderOf({ ...ONE, '0003-gap.sql': 'select 1;' });
    assert.deepEqual(
      (await readMigrationFiles(gap.url)).map(({ number }) => number),
      [1, 3],
    );
  });

  it('says where it could not connect, without the password', async () => {
    const refused = migrateDatabase('postgres://someone:topsecret@127.0.0.1:1/there', { patienceMs: 0 });
    await assert.rejects(refused, (error) => {
      assert.ok(error instanceof DatabaseUnreachable);
      assert.match(error.message, /^PostgreSQL at 127\.0\.0\.1:1\/there did not answer within 0 s \(.*ECONNREFUSED/);
      assert.ok(!error.message.includes('topsecret'));
      return true;
    });
  });

  it('does not wait when the database does not exist', async () => {
    await using empty = await openEmptyDatabase();
    const url = new URL(empty.url);
    url.pathname = '/tradewind_not_there';
    await assert.rejects(migrateDatabase(url.href), {
      name: 'DatabaseUnreachable',
      message: /refused: database "tradewind_not_there" does not exist/,
    });
  });
});

describe('requireCurrentSchema', () => {
  it('accepts the schema of this code', async () => {
    await using test = await openTestDatabase();
    await requireCurrentSchema(test.database);
  });

  it('says to migrate when the database is older or empty, and to upgrade when it is newer', async () => {
    await using empty = await openEmptyDatabase();
    await using db = openDatabase(empty.url);
    await using one = await folderOf(ONE);
    await using two = await folderOf(TWO);
    await assert.rejects(requireCurrentSchema(db, one.url), {
      name: 'DatabaseBehind',
      message: /^The database lacks 0001-one: run/,
    });
    await migrateDatabase(empty.url, { folder: one.url });
    await assert.rejects(requireCurrentSchema(db, two.url), {
      name: 'DatabaseBehind',
      message: /^The database lacks 0002-two: run/,
    });
    await migrateDatabase(empty.url, { folder: two.url });
    await assert.rejects(requireCurrentSchema(db, one.url), { name: 'MigrationError', message: /Upgrade the code/ });
  });
});
