import type { Database } from '#storage/postgres/database.ts';

const KEY = 'tradewind:chat';
/** PostgreSQL ends the session of a process that has been paused or cut off for this long, and its lock with it. */
const LEASE_SECONDS = 20;
const RENEW_EVERY_MS = 5_000;

export interface ChatLock extends AsyncDisposable {
  /** Queries the database whether the lock still exists. */
  isHeld(): Promise<boolean>;
}

/**
 * The lock of the one api that reads the chat, until it is disposed; undefined while another one has it. `onLost` is called
 * once when the session of the lock ended before.
 */
export async function lockChat({ pool }: Database, onLost: () => void): Promise<ChatLock | undefined> {
  const client = await pool.connect();
  let isLost = false;
  const lose = (): void => {
    if (isLost) return;
    isLost = true;
    onLost();
  };
  const isHeld = (): Promise<boolean> =>
    client.query('select').then(
      () => !isLost,
      () => {
        lose();
        return false;
      },
    );
  client.on('error', lose);
  const end = (isClosed: boolean): void => {
    isLost = true;
    client.off('error', lose);
    client.release(isClosed);
  };
  try {
    const text = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken';
    const { rows } = await client.query<{ taken: boolean }>(text, [KEY]);
    if (rows[0]?.taken !== true) {
      end(false);
      return undefined;
    }
    await client.query(`set idle_session_timeout = '${LEASE_SECONDS}s'`);
  } catch (error) {
    end(true);
    throw error;
  }
  const renewals = setInterval(() => void isHeld(), RENEW_EVERY_MS);
  return {
    isHeld,
    async [Symbol.asyncDispose]() {
      clearInterval(renewals);
      // So that another one starts at once.
      if (!isLost) await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [KEY]).catch(() => {});
      // Its session has a timeout of its own. A closed connection has no lock.
      end(true);
    },
  };
}
