import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/** The database did not answer or refused the connection. The message names host, port and database, not the password. */
export class DatabaseUnreachable extends Error {
  override readonly name = 'DatabaseUnreachable';
}

const TIMEOUT_MS = 10_000;
const ATTEMPT_MS = 3_000;
const PAUSE_MS = 100;

const textOf = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(textOf).join('; ');
  return error instanceof Error ? error.message : String(error);
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Wrong password, unknown role or database, no permission, unknown host name: a retry does not help. */
const isFinal = (error: unknown): boolean =>
  /^(28|3D|42|ENOTFOUND$)/.test(codeOf(error)) || /SASL|SSL/.test(textOf(error));

/** `host:port/database` of a PostgreSQL URL, without user and password. */
export function placeOf(url: string): string {
  if (!URL.canParse(url)) return 'the given address';
  const { hostname, port, pathname } = new URL(url);
  return `${hostname === '' ? 'localhost' : hostname}:${port === '' ? '5432' : port}${pathname}`;
}

async function connectOnce(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: ATTEMPT_MS,
    application_name: 'tradewind-migrate',
  });
  // Without a listener a connection that breaks later would end the process; the pending query fails either way.
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

/**
 * One connection outside of the pool. Waits up to `timeoutMs` for a server that is starting. Throws DatabaseUnreachable
 * after that, or at once when a retry cannot help.
 */
export async function connect(url: string, timeoutMs: number = TIMEOUT_MS): Promise<pg.Client> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await connectOnce(url);
    } catch (error) {
      const cause = textOf(error);
      if (isFinal(error)) {
        throw new DatabaseUnreachable(`PostgreSQL at ${placeOf(url)} refused: ${cause}. Check DATABASE_URL.`);
      }
      if (performance.now() > deadline) {
        const waited = Math.round(timeoutMs / 1000);
        throw new DatabaseUnreachable(
          `PostgreSQL at ${placeOf(url)} did not answer within ${waited} s (${cause}). Check that it runs and that DATABASE_URL is right.`,
        );
      }
      await delay(PAUSE_MS);
    }
  }
}
