import { randomBytes } from 'node:crypto';
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type pg from 'pg';
import type { Database } from '#storage/postgres/database.ts';
import { type Batch, type Manifest, type Rows, writeBackupFile } from './file.ts';

/** Tables without meaning for another installation or another day: caches, sessions and leases. */
const EXCLUDED_TABLES = new Set([
  'cache_entries',
  'cache_list_heads',
  'cache_lists',
  'cache_hits',
  'sessions',
  'api_tokens',
  'proposals',
  'chat',
  'signal_inlets',
  'signals',
  'account_leases',
]);
const ROWS_AT_ONCE = 500;
/** Size of one line: small enough for the memory of both sides, large enough for few statements. */
const BATCH_BYTES = 4 * 1024 ** 2;
/** Suffix of an incomplete file. */
export const PART = '.part';

/** Tables in order of their references: referenced tables first. */
async function tablesInOrder(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string; needs: string[] }>(`
    select c.relname as name, array(select f.relname::text from pg_constraint k join pg_class f on f.oid = k.confrelid
      where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid) as needs
    from pg_class c where c.relnamespace = (select oid from pg_namespace where nspname = current_schema()) and c.relkind = 'r' order by 1`);
  const waiting = rows.filter(({ name }) => !EXCLUDED_TABLES.has(name));
  const ordered: string[] = [];
  while (waiting.length > 0) {
    const next = waiting.findIndex(({ needs }) => needs.every((name) => ordered.includes(name)));
    const [table] = waiting.splice(next, 1);
    if (next === -1 || table === undefined) throw new Error('The tables refer to each other in a circle.');
    ordered.push(table.name);
  }
  return ordered;
}

async function readManifest(client: pg.ClientBase): Promise<Manifest> {
  const story = await client.query<Manifest['migrations'][number]>(
    'select number, name, digest from schema_migrations order by number',
  );
  const sequences = await client.query<{ name: string; last: string | null }>(
    'select sequencename as name, last_value::text as last from pg_sequences where schemaname = current_schema()',
  );
  return {
    format: 'tradewind-backup',
    version: 1,
    at: new Date().toISOString(),
    migrations: story.rows,
    tables: await tablesInOrder(client),
    sequences: Object.fromEntries(sequences.rows.map(({ name, last }) => [name, last ?? '0'])),
  };
}

/** Row counts of batches that stay within `mostBytes`; a larger row is a batch alone. */
export function countsWithin(sizes: readonly number[], mostBytes: number): number[] {
  const counts: number[] = [];
  let bytes = Infinity;
  for (const size of sizes) {
    if (bytes + size > mostBytes) {
      counts.push(0);
      bytes = 0;
    }
    bytes += size;
    counts[counts.length - 1] = (counts.at(-1) ?? 0) + 1;
  }
  return counts;
}

/** Two cursors over the same rows in the same order: the sizes say how many rows to fetch. */
async function* readBatches(client: pg.ClientBase, tables: readonly string[]): AsyncGenerator<Batch> {
  for (const table of tables) {
    const rowsOf = (value: string) => `no scroll cursor for select ${value} from "${table}" t`;
    await client.query(`declare sizes ${rowsOf('octet_length(row_to_json(t)::text) as bytes')}`);
    await client.query(`declare rows ${rowsOf('row_to_json(t)::text as json')}`);
    for (;;) {
      const sizes = await client.query<{ bytes: number }>(`fetch ${ROWS_AT_ONCE} from sizes`);
      if (sizes.rows.length === 0) break;
      for (const count of countsWithin(
        sizes.rows.map(({ bytes }) => bytes),
        BATCH_BYTES,
      )) {
        const { rows } = await client.query<{ json: string }>(`fetch ${count} from rows`);
        yield { table, count: rows.length, json: `[${rows.map(({ json }) => json).join(',')}]` };
      }
    }
    await client.query('close sizes; close rows');
  }
}

interface TakenBackup {
  readonly at: string;
  readonly rows: Rows;
}

/**
 * Writes a consistent snapshot of all data into one open file while trading continues. The file holds secrets in
 * plaintext.
 */
export async function writeBackup({ pool }: Database, file: FileHandle, signal?: AbortSignal): Promise<TakenBackup> {
  const client = await pool.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    // Scans of one table must start at the same row, so that both cursors return the rows in the same order.
    await client.query(`set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
      set local synchronize_seqscans = off`);
    const manifest = await readManifest(client);
    const batches = readBatches(client, manifest.tables);
    return { at: manifest.at, rows: await writeBackupFile(file, { manifest, batches, signal }) };
  } finally {
    await client.query('rollback').catch(() => {});
    client.release();
  }
}

/** Writes a backup that gets its name when it is complete and synced; until then an older file keeps the name. */
export async function takeBackup(database: Database, path: string): Promise<TakenBackup> {
  // A symlink keeps pointing at its file.
  const target = await realpath(path).catch(() => path);
  const there = await stat(target).catch(() => undefined);
  if (there?.isFile() === false) throw new Error(`${path} is not a file: give the name of a file for the backup.`);
  const part = `${target}.${randomBytes(4).toString('hex')}${PART}`;
  try {
    const taken = await writePart(database, part);
    await rename(part, target);
    await syncFolder(dirname(target));
    return taken;
  } finally {
    await rm(part, { force: true });
  }
}

async function writePart(database: Database, path: string): Promise<TakenBackup> {
  await using file = await open(path, 'wx', 0o600);
  return await writeBackup(database, file);
}

/** Makes the new name survive a power cut. Windows cannot open folders and needs no such step. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using folder = await open(path, 'r');
  await folder.sync();
}
