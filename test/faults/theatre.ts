import type { CacheStore } from '#core/ports.ts';
import type { Database } from '#storage/database.ts';
import { openCache } from '#storage/open-cache.ts';
import { openTestDatabase, PATIENCE_MS } from '#storage/test-database.ts';

/** A database on which one schedule after another is played: making one for each costs more than the play. */
export interface Theatre extends AsyncDisposable {
  readonly url: string;
  readonly database: Database;
  readonly cache: CacheStore;
  /** Leaves nothing of the last play but the schema. */
  clear(): Promise<void>;
}

export async function openTheatre(): Promise<Theatre> {
  await using stack = new AsyncDisposableStack();
  const { url, database } = stack.use(await openTestDatabase());
  const cache = stack.use(await openCache({ databaseUrl: url, connectTimeoutMs: PATIENCE_MS }));
  const { rows } = await database.pool.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename <> 'schema_migrations'`,
  );
  const truncate = `truncate ${rows.map(({ name }) => name).join(', ')}`;
  const kept = stack.move();
  return {
    url,
    database,
    cache,
    clear: async () => void (await database.pool.query(truncate)),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
