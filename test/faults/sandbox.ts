import type { CacheStore } from '#core/ports/cache.ts';
import type { Database } from '#storage/postgres/database.ts';
import { openCache } from '#storage/cache/open-cache.ts';
import { openTestDatabase, TIMEOUT_MS } from '#test/harness/test-database.ts';

/** A database that schedules use one after another: creating one for each costs more than the run itself. */
export interface Sandbox extends AsyncDisposable {
  readonly url: string;
  readonly database: Database;
  readonly cache: CacheStore;
  /** Sets whether sessions that start from now on may write; its own session always may. */
  refuseWrites(refused: boolean): Promise<void>;
  /** Deletes everything that the last run left, except the schema. */
  clear(): Promise<void>;
}

export async function openSandbox(): Promise<Sandbox> {
  await using stack = new AsyncDisposableStack();
  const { url, database } = stack.use(await openTestDatabase());
  const cache = stack.use(await openCache({ databaseUrl: url, connectTimeoutMs: TIMEOUT_MS }));
  const { rows } = await database.pool.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename <> 'schema_migrations'`,
  );
  const names = rows.map(({ name }) => name);
  const truncate = `truncate ${names.join(', ')}`;
  // Takes a tenth of the time of truncate on so few rows; only a superuser may skip the checks of references.
  const deletes = names.map((name) => `delete from ${name}`);
  const empty = ['begin', 'set local session_replication_role = replica', ...deletes, 'commit'].join('; ');
  database.pool.on('connect', (opened) => void opened.query('set default_transaction_read_only = off').catch(() => {}));
  const refuseWrites = async (refused: boolean): Promise<void> => {
    const change = refused ? 'set default_transaction_read_only = on' : 'reset default_transaction_read_only';
    await database.pool.query(`do $$ begin execute format('alter database %I ${change}', current_database()); end $$`);
  };
  const client = await database.pool.connect();
  stack.defer(() => client.release());
  const kept = stack.move();
  return {
    url,
    database,
    cache,
    refuseWrites,
    async clear() {
      await refuseWrites(false);
      await client.query(empty).catch(() => client.query('rollback').then(() => client.query(truncate)));
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
