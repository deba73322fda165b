import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { connect } from '#storage/postgres/connect.ts';
import { type Database, openDatabase } from '#storage/postgres/database.ts';
import { migrateDatabase } from '#storage/postgres/migrate.ts';
import { type MigrationFile, readMigrationFiles } from '#storage/postgres/migration-files.ts';

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  readonly database: Database;
}

/** Long, because connections are slow on a busy machine; the test's own limits report failures. */
export const TIMEOUT_MS = 60_000;
const ADVISORY_KEY = 'tradewind:test-template';

function adminUrl(): string {
  const url = process.env['TEST_DATABASE_URL'];
  if (url === undefined || url === '') {
    throw new Error('TEST_DATABASE_URL is missing: run npm test, which starts a database.');
  }
  return url;
}

function urlOf(name: string): string {
  const url = new URL(adminUrl());
  url.pathname = `/${name}`;
  return url.href;
}

async function withAdmin<Result>(work: (admin: pg.Client) => Promise<Result>): Promise<Result> {
  const admin = await connect(adminUrl());
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

/** One digest over all migrations: names the template database of the tests. */
const digestOfAll = (files: readonly MigrationFile[]): string =>
  createHash('sha256')
    .update(files.map((file) => `${file.name} ${file.digest}`).join('\n'))
    .digest('hex');

const exists = async (admin: pg.Client, name: string): Promise<boolean> =>
  (await admin.query('select 1 from pg_database where datname = $1', [name])).rows.length > 0;

/** Built under another name and renamed when complete: a killed test run leaves no incomplete template. */
async function ensureTemplate(admin: pg.Client): Promise<string> {
  const template = `tradewind_template_${digestOfAll(await readMigrationFiles()).slice(0, 16)}`;
  if (await exists(admin, template)) return template;
  await admin.query('select pg_advisory_lock(hashtextextended($1, 0))', [ADVISORY_KEY]);
  try {
    if (await exists(admin, template)) return template;
    const draft = `tradewind_draft_${randomBytes(6).toString('hex')}`;
    await admin.query(`create database ${draft} template template0`);
    try {
      await migrateDatabase(urlOf(draft));
      await admin.query(`alter database ${draft} rename to ${template}`);
    } finally {
      await admin.query(`drop database if exists ${draft} with (force)`);
    }
    return template;
  } finally {
    await admin.query('select pg_advisory_unlock(hashtextextended($1, 0))', [ADVISORY_KEY]);
  }
}

async function createDatabase(prepare: (admin: pg.Client) => Promise<string>): Promise<string> {
  const name = `tradewind_test_${randomBytes(8).toString('hex')}`;
  await withAdmin(async (admin) => {
    await admin.query(`create database ${name} template ${await prepare(admin)}`);
  });
  return name;
}

const dropDatabase = (name: string): Promise<unknown> =>
  withAdmin((admin) => admin.query(`drop database if exists ${name} with (force)`));

/** A new migrated database, cloned from a template; dropped on dispose. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const name = await createDatabase(ensureTemplate);
  const url = urlOf(name);
  const names = { applicationName: 'tradewind-test', connectTimeoutMs: TIMEOUT_MS };
  const database = openDatabase(url, { ...names, max: 20 });
  return {
    url,
    database,
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]();
      await dropDatabase(name);
    },
  };
}

/** A new empty database, without any migration. */
export async function openEmptyDatabase(): Promise<{ readonly url: string } & AsyncDisposable> {
  const name = await createDatabase(async () => 'template0');
  return { url: urlOf(name), [Symbol.asyncDispose]: async () => void (await dropDatabase(name)) };
}
