import { sql } from 'kysely';
import type pg from 'pg';
import { connect } from './connect.ts';
import type { Database } from './database.ts';
import { MIGRATIONS, MigrationError, type MigrationFile, readMigrationFiles } from './migration-files.ts';

export { DatabaseUnreachable } from './connect.ts';
export { MigrationError } from './migration-files.ts';

interface MigrationReport {
  /** Names of the migrations that this call applied. */
  readonly applied: string[];
  readonly latestAppliedAt: Date;
}

interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly digest: string;
  readonly applied_at: Date;
}

const LOCK = 'tradewind:migrate';
/** The table of the migrations that were applied to a schema. */
export const CREATE_TABLE = `create table if not exists schema_migrations (
  number integer primary key,
  name text not null,
  digest text not null,
  breaking boolean not null,
  applied_at timestamptz not null default clock_timestamp()
)`;

/** A migration is missing, which another process may be about to make: a restart helps then. */
export class DatabaseBehind extends Error {
  override readonly name = 'DatabaseBehind';
}

/** Throws MigrationError when the applied migrations differ from the files. */
export function requireSameHistory(applied: readonly AppliedMigration[], files: readonly MigrationFile[]): void {
  for (const row of applied) {
    const file = files.find(({ number }) => number === row.number);
    if (file === undefined) {
      throw new MigrationError(
        `The database holds migration ${row.name}, which this version does not know: a newer version wrote it. Upgrade the code to that version, or restore a backup made before the upgrade.`,
      );
    }
    if (file.digest !== row.digest) {
      throw new MigrationError(
        `Migration ${file.name} has changed since it was applied here on ${row.applied_at.toISOString()}. An applied migration is never edited: restore the file and write the change as a new migration.`,
      );
    }
  }
}

/** Runs a migration and records it, in the open transaction. */
export async function runMigration(client: pg.ClientBase, file: MigrationFile): Promise<void> {
  await client.query(file.sql);
  await client.query('insert into schema_migrations (number, name, digest, breaking) values ($1, $2, $3, $4)', [
    file.number,
    file.name,
    file.digest,
    file.breaking,
  ]);
}

async function applyMigration(client: pg.Client, file: MigrationFile): Promise<void> {
  try {
    await client.query('begin');
    await runMigration(client, file);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    const cause = error instanceof Error ? error.message : String(error);
    throw new MigrationError(`Migration ${file.name} failed and nothing of it was kept: ${cause}`, { cause: error });
  }
}

async function applyMissing(client: pg.Client, files: readonly MigrationFile[]): Promise<MigrationReport> {
  await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [LOCK]);
  await client.query(CREATE_TABLE);
  const { rows } = await client.query<AppliedMigration>(
    'select number, name, digest, applied_at from schema_migrations order by number',
  );
  requireSameHistory(rows, files);
  const missing = files.filter((file) => !rows.some((row) => row.number === file.number));
  for (const file of missing) await applyMigration(client, file);
  const latest = await client.query<{ at: Date }>('select max(applied_at) as at from schema_migrations');
  return { applied: missing.map((file) => file.name), latestAppliedAt: latest.rows[0]?.at ?? new Date() };
}

/**
 * Migrates the schema to this version of the code, each migration in a transaction, one caller at a time.
 * Throws MigrationError or DatabaseUnreachable, both with a sentence for the operator.
 */
export async function migrateDatabase(
  url: string,
  options: { readonly folder?: URL; readonly patienceMs?: number } = {},
): Promise<MigrationReport> {
  const files = await readMigrationFiles(options.folder ?? MIGRATIONS);
  const client = await connect(url, options.patienceMs);
  try {
    return await applyMissing(client, files);
  } finally {
    await client.end().catch(() => {});
  }
}

const TABLE_MISSING = '42P01';
const isTableMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === TABLE_MISSING;

/**
 * Throws DatabaseBehind when a migration is missing, and MigrationError when the schema is otherwise not the one of this
 * code; worker and api call it at boot.
 */
export async function requireCurrentSchema(db: Database, folder: URL = MIGRATIONS): Promise<void> {
  const files = await readMigrationFiles(folder);
  const applied = await db.kysely
    .selectFrom('schema_migrations')
    .select(['number', 'name', 'digest', 'applied_at'])
    .orderBy('number')
    .execute()
    .catch((error: unknown) => {
      if (isTableMissing(error)) return [];
      throw error;
    });
  requireSameHistory(applied, files);
  const missing = files.filter((file) => !applied.some((row) => row.number === file.number));
  if (missing.length === 0) return;
  throw new DatabaseBehind(
    `The database lacks ${missing.map((file) => file.name).join(', ')}: run "npm start" or "tradewind migrate" once, then start this process again.`,
  );
}

/** When the newest migration was applied; undefined on a database without any. */
export async function latestMigrationAppliedAt(db: Database): Promise<Date | undefined> {
  const row = await db.kysely
    .selectFrom('schema_migrations')
    .select(sql<Date | null>`max(applied_at)`.as('at'))
    .executeTakeFirst();
  return row?.at ?? undefined;
}
