import type pg from 'pg';
import type { Database } from '../database.ts';
import { type Batch, type Manifest, type Rows, writeBackupFile } from './file.ts';

/** What means nothing to another installation or another day: caches, sessions, and who trades an account now. */
const LEFT_OUT = new Set([
  'cache_entries',
  'cache_list_heads',
  'cache_lists',
  'cache_hits',
  'sessions',
  'account_leases',
]);
const ROWS_AT_ONCE = 500;

/** Tables with what they refer to first. */
async function tablesInOrder(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string; needs: string[] }>(`
    select c.relname as name, array(select f.relname::text from pg_constraint k join pg_class f on f.oid = k.confrelid
      where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid) as needs
    from pg_class c where c.relnamespace = (select oid from pg_namespace where nspname = current_schema()) and c.relkind = 'r' order by 1`);
  const waiting = rows.filter(({ name }) => !LEFT_OUT.has(name));
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

async function* readBatches(client: pg.ClientBase, tables: readonly string[]): AsyncGenerator<Batch> {
  for (const table of tables) {
    await client.query(`declare rows no scroll cursor for select row_to_json(t)::text as json from "${table}" t`);
    for (;;) {
      const { rows } = await client.query<{ json: string }>(`fetch ${ROWS_AT_ONCE} from rows`);
      if (rows.length === 0) break;
      yield { table, count: rows.length, json: `[${rows.map(({ json }) => json).join(',')}]` };
    }
    await client.query('close rows');
  }
}

/** Writes everything as it is at one moment into one file, while trading goes on. The file holds secrets in plaintext. */
export async function takeBackup(
  { pool }: Database,
  path: string,
): Promise<{ readonly at: string; readonly rows: Rows }> {
  const client = await pool.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    await client.query('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0');
    const manifest = await readManifest(client);
    return { at: manifest.at, rows: await writeBackupFile(path, manifest, readBatches(client, manifest.tables)) };
  } finally {
    await client.query('rollback').catch(() => {});
    client.release();
  }
}
