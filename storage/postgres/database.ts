import { Kysely, PostgresDialect, type Transaction as KyselyTransaction } from 'kysely';
import pg from 'pg';
import type { Tables } from './tables.ts';

/** Read access only: a function that takes a Reader cannot write. */
export type Reader = Pick<Kysely<Tables>, 'selectFrom' | 'with'>;
/** Read and write access: the database itself or an open transaction. */
export type Writer = Kysely<Tables>;
export type Transaction = KyselyTransaction<Tables>;

interface DatabaseOptions {
  /** Most connections at once. */
  readonly max?: number;
  readonly applicationName?: string;
  /** Opening a connection, or waiting for a free one, fails after this long. */
  readonly connectTimeoutMs?: number;
  /** A query that runs longer is cancelled and fails. */
  readonly queryTimeoutMs?: number;
  /**
   * For orders. Connections stay open, because the next order must not wait for one. Statements are planned once instead
   * of five times per connection.
   */
  readonly ready?: boolean;
  /** Called when an idle connection breaks; the pool replaces it automatically. */
  readonly onConnectionLost?: (error: Error) => void;
}

const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 30_000;
/** A process that pauses inside a transaction would hold its advisory locks, and a kill switch would wait for them. */
const IDLE_IN_TRANSACTION_MS = 3_000;
/** How much longer than the server the client waits, so that the server's own error wins. */
const CLIENT_GRACE_MS = 5_000;

/**
 * Adds the statement's text to an error and hides fields that may hold bound values. `detail` and `where` stay readable but
 * are no longer enumerable, so no log writes them.
 */
export function withQueryText(error: unknown, query: string): unknown {
  if (!(error instanceof Error)) return error;
  if (!('query' in error)) Object.defineProperty(error, 'query', { value: query, enumerable: true });
  for (const name of ['detail', 'where', 'internalQuery'] as const) {
    if (name in error) Object.defineProperty(error, name, { enumerable: false });
  }
  return error;
}

function openPool(url: string, options: DatabaseOptions): pg.Pool {
  const queryTimeoutMs = options.queryTimeoutMs ?? QUERY_TIMEOUT_MS;
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    application_name: options.applicationName ?? 'tradewind',
    connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    statement_timeout: queryTimeoutMs,
    query_timeout: queryTimeoutMs + CLIENT_GRACE_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    ...(options.ready === true && { idleTimeoutMillis: 0, options: '-c plan_cache_mode=force_generic_plan' }),
    keepAlive: true,
    // Statements that do not depend on each other are sent together (storage/postgres/statements.ts).
    pipeline: true,
  });
  const lost = options.onConnectionLost ?? (() => {});
  pool.on('error', lost);
  // A checked-out connection that breaks between two statements reports to its own listeners only.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** PostgreSQL behind a pool. A killed server fails queries; it never ends the process. */
export class Database implements AsyncDisposable {
  readonly pool: pg.Pool;
  readonly kysely: Kysely<Tables>;

  constructor(url: string, options: DatabaseOptions = {}) {
    this.pool = openPool(url, options);
    this.kysely = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool: this.pool }),
      log: (event) => {
        if (event.level === 'error') withQueryText(event.error, event.query.sql);
      },
    });
  }

  /** Runs `work` in one READ COMMITTED transaction, independent of the server's default. */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.kysely.transaction().setIsolationLevel('read committed').execute(work);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kysely.destroy();
    // kysely ends the pool only after it has used the pool.
    if (!this.pool.ending) await this.pool.end();
  }
}

/** Runs `work` in the given transaction, or in a new one. */
export function inTransaction<Result>(
  on: Database | Writer,
  work: (writer: Writer) => Promise<Result>,
): Promise<Result> {
  if (on instanceof Database) return on.transaction(work);
  return on.isTransaction ? work(on) : on.transaction().setIsolationLevel('read committed').execute(work);
}

export const readerOf = (on: Database | Reader): Reader => (on instanceof Database ? on.kysely : on);

export const openDatabase = (url: string, options: DatabaseOptions = {}): Database => new Database(url, options);
