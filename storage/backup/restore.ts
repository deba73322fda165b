import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Database } from '#storage/postgres/database.ts';
import { engageHalt, readHalt, releaseHalt } from '#storage/trading/halts.ts';
import { CREATE_TABLE, requireSameHistory, runMigration } from '#storage/postgres/migrate.ts';
import { MigrationError, type MigrationFile, readMigrationFiles } from '#storage/postgres/migration-files.ts';
import { type Manifest, readBackupFile, type Rows } from './file.ts';
import type { ReadOptions } from './lines.ts';
import { BackupRefused, requireClient } from './refused.ts';

const ALL = { scope: 'all', subject: 'all' } as const;
/** By then the outcome of an order in flight is certain, or its state is unknown. */
const IN_FLIGHT_MS = 30_000;
const LOCK_ATTEMPTS = 10;

interface Restored {
  /** When the backup was taken. */
  readonly at: string;
  readonly rows: Rows;
}

/** Reads the whole file and changes nothing; throws BackupRefused for a file that cannot be restored here. */
async function verifyBackup(file: string | FileHandle, options: ReadOptions = {}): Promise<Restored> {
  const files = await readMigrationFiles();
  const counted: Rows = {};
  let at: string | undefined;
  for await (const part of readBackupFile(file, options)) {
    if (part.kind === 'manifest') {
      at = part.manifest.at;
      requireKnown(part.manifest, files);
    } else if (part.kind === 'batch') counted[part.table] = (counted[part.table] ?? 0) + part.count;
    else if (Object.entries(part.rows).some(([table, count]) => (counted[table] ?? 0) !== count)) {
      throw new BackupRefused('The file was altered: it does not hold the rows that it names.');
    }
  }
  if (at === undefined) throw new BackupRefused('The file is not a Tradewind backup.');
  return { at, rows: counted };
}

function requireKnown({ migrations, at }: Manifest, files: readonly MigrationFile[]): void {
  try {
    requireSameHistory(
      migrations.map((migration) => ({ ...migration, applied_at: new Date(at) })),
      files,
    );
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    const newest = migrations.at(-1)?.name;
    throw new BackupRefused(
      `The backup was taken by another version (its newest migration is ${newest}), whose data this one cannot hold: upgrade first.`,
    );
  }
}

/**
 * Replaces all data with a verified backup. Trading is frozen first. One transaction builds the new data next to the current
 * data and swaps them: a crash at any moment leaves the old data complete. Afterwards the kill switch is engaged, without
 * a freeze: positions are those of the backup until they are reconciled with the exchange.
 */
export async function restoreBackup(
  database: Database,
  file: string | FileHandle,
  options: ReadOptions = {},
): Promise<Restored> {
  const verified = await verifyBackup(file, options);
  const client = await database.pool.connect();
  try {
    const { rows } = await client.query<{ taken: boolean }>(
      `select pg_try_advisory_lock(hashtextextended('tradewind:restore', 0)) as taken`,
    );
    if (rows[0]?.taken !== true) throw new BackupRefused('Another restore is running: wait until it has ended.');
    await withWritesBlocked(database, async () => {
      requireClient(options.signal);
      await replaceAll(client, readBackupFile(file, options));
    });
    return verified;
  } finally {
    await client.query(`select pg_advisory_unlock(hashtextextended('tradewind:restore', 0))`).catch(() => {});
    client.release();
  }
}

async function withWritesBlocked(database: Database, work: () => Promise<void>): Promise<void> {
  const before = await readHalt(database, ALL);
  await engageHalt(database, { ...ALL, reason: 'A restore is running.', freeze: true, userId: null });
  try {
    await requireNothingInFlight(database);
    await work();
  } catch (error) {
    if (before === undefined) await releaseHalt(database, ALL);
    else await engageHalt(database, { ...before, ...ALL, userId: null });
    throw error;
  }
}

/** No intent can commit now; committed intents are sent or expire within seconds. */
async function requireNothingInFlight({ kysely }: Database): Promise<void> {
  const endMs = performance.now() + IN_FLIGHT_MS;
  const read = () => kysely.selectFrom('orders').select('id').where('state', '=', 'intent').limit(1).execute();
  while ((await read()).length > 0) {
    if (performance.now() > endMs) throw new BackupRefused('An order is still on its way to the exchange: try again.');
    await delay(100);
  }
}

type Parts = ReturnType<typeof readBackupFile>;

async function replaceAll(client: pg.PoolClient, parts: Parts): Promise<void> {
  const schema = `tradewind_restore_${randomBytes(6).toString('hex')}`;
  try {
    await client.query('begin');
    await client.query(`set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
      set local lock_timeout = '3s'`);
    const { rows } = await client.query<{ name: string }>('select current_schema()::text as name');
    const home = rows[0]?.name ?? 'public';
    await client.query(`create schema ${schema}; set local search_path = ${schema}`);
    const manifest = await fill(client, parts);
    await markUnreconciled(client);
    await engageKillSwitch(client, manifest);
    await replaceRelations(client, { from: schema, to: home, manifest });
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    if (isLockFailure(error))
      throw new BackupRefused(
        'Other transactions kept the tables locked, and nothing was changed: try again in a moment.',
      );
    throw error;
  }
}

const isLockFailure = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === '55P03' || error.code === '40P01');

/**
 * Locks all relations or none. Other transactions lock them in another order, so that this one can end in a deadlock: it
 * then gives up the locks that it has, which lets the others finish, and tries again.
 */
async function lockAll(client: pg.PoolClient, relations: readonly string[]): Promise<void> {
  if (relations.length === 0) return;
  for (let attempt = 1; ; attempt += 1) {
    await client.query('savepoint unlocked');
    try {
      await client.query(`lock table ${relations.join(', ')} in access exclusive mode`);
      return;
    } catch (error) {
      if (!isLockFailure(error) || attempt === LOCK_ATTEMPTS) throw error;
      await client.query('rollback to savepoint unlocked');
      await delay(100);
    }
  }
}

/** Creates the tables of the backup's version, fills them, and migrates them to this version. */
async function fill(client: pg.PoolClient, parts: Parts): Promise<Manifest> {
  const files = await readMigrationFiles();
  let manifest: Manifest | undefined;
  for await (const part of parts) {
    if (part.kind === 'manifest') {
      manifest = part.manifest;
      const known = new Set(manifest.migrations.map(({ number }) => number));
      await client.query(CREATE_TABLE);
      for (const file of files) if (known.has(file.number)) await client.query(file.sql);
      // The backup already holds the rows that triggers wrote.
      for (const table of manifest.tables) await client.query(`alter table "${named(table)}" disable trigger user`);
    } else if (part.kind === 'batch') {
      const table = named(part.table);
      await client.query(`insert into "${table}" select * from json_populate_recordset(null::"${table}", $1)`, [
        part.json,
      ]);
    }
  }
  if (manifest === undefined) throw new BackupRefused('The file is not a Tradewind backup.');
  for (const table of manifest.tables) await client.query(`alter table "${named(table)}" enable trigger user`);
  const applied = new Set(manifest.migrations.map(({ number }) => number));
  for (const file of files) if (!applied.has(file.number)) await runMigration(client, file);
  return manifest;
}

function named(table: string): string {
  if (/^[a-z_]+$/.test(table)) return table;
  throw new BackupRefused('The file was altered: it names a table that cannot exist.');
}

/**
 * Orders since the backup are unknown here, so every coin is reconciled with the exchange before it trades. No order id is
 * used twice: numbers continue from the tenths of a second since 1970, including those of a coin that is bound later. No
 * coin has more orders than that.
 */
async function markUnreconciled(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ number: string }>(
    'select floor(extract(epoch from clock_timestamp()) * 10)::bigint::text as number',
  );
  const number = BigInt(rows[0]?.number ?? 0);
  await client.query(`alter table runner_states alter column order_sequence set default ${number}`);
  await client.query(`insert into runner_states (profile_id, symbol) select profile_id, symbol from profile_symbols
    on conflict (profile_id, symbol) do nothing`);
  await client.query(
    'update runner_states set order_sequence = greatest(order_sequence, $1::bigint), compared = false',
    [number],
  );
}

async function engageKillSwitch(client: pg.PoolClient, { at }: Manifest): Promise<void> {
  const reason = `Restored from the backup of ${at}: compare positions and open orders with the exchange, then release.`;
  await client.query(
    `insert into kill_switches (scope, subject, reason, freeze_exits, engaged_at, halt_order)
      values ('all', 'all', $1, false, now(), 0)
      on conflict (scope, subject) do update set reason = excluded.reason, freeze_exits = false`,
    [reason],
  );
}

interface ReplaceInput {
  readonly from: string;
  readonly to: string;
  readonly manifest: Manifest;
}

/** Drops our relations and moves the new ones in; other relations of the schema stay. */
async function replaceRelations(client: pg.PoolClient, { from, to, manifest }: ReplaceInput): Promise<void> {
  for (const [name, last] of Object.entries(manifest.sequences)) {
    // Sequence numbers are never reused, neither those of the backup nor those of the current data.
    await client.query(
      `select setval('${from}.${named(name)}', greatest($1::bigint, 1,
        (select last_value from pg_sequences where schemaname = $2 and sequencename = $3)))`,
      [last, to, name],
    );
  }
  const kinds = [
    ['v', 'view'],
    ['r', 'table'],
    ['S', 'sequence'],
  ] as const;
  const { rows } = await client.query<{ name: string; kind: string }>(
    `select relname as name, relkind as kind from pg_class where relnamespace = $1::regnamespace and relkind in ('r', 'v', 'S')`,
    [from],
  );
  const functions = await client.query<{ name: string }>(
    'select oid::regprocedure::text as name from pg_proc where pronamespace = $1::regnamespace',
    [from],
  );
  const { rows: present } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = $1::regnamespace and relkind in ('r', 'v')`,
    [to],
  );
  const replaced = present.filter(({ name }) => rows.some((row) => row.name === name));
  await lockAll(
    client,
    replaced.map(({ name }) => `"${to}"."${name}"`),
  );
  for (const [kind, word] of kinds)
    for (const relation of rows.filter((row) => row.kind === kind))
      await client.query(`drop ${word} if exists "${to}"."${relation.name}" cascade`);
  for (const { name } of functions.rows)
    await client.query(`drop function if exists "${to}".${withoutSchema(name)} cascade`);
  for (const [kind, word] of kinds)
    for (const relation of rows.filter((row) => row.kind === kind))
      await client.query(`alter ${word} "${from}"."${relation.name}" set schema "${to}"`);
  for (const { name } of functions.rows)
    await client.query(`alter function "${from}".${withoutSchema(name)} set schema "${to}"`);
  await client.query(`drop schema ${from}`);
}

const withoutSchema = (name: string): string => name.slice(name.indexOf('.') + 1);
