import type { Database } from '#storage/postgres/database.ts';

const KEY = 'tradewind:chat';

/** The lock of the one api that reads the chat, until it is disposed; undefined while another one has it. */
export async function lockChat({ pool }: Database): Promise<AsyncDisposable | undefined> {
  const client = await pool.connect();
  // A lost connection ends the lock; updates are handled once without it too.
  client.on('error', ignore);
  const end = (broken: boolean): void => {
    client.off('error', ignore);
    client.release(broken);
  };
  try {
    const text = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken';
    const { rows } = await client.query<{ taken: boolean }>(text, [KEY]);
    if (rows[0]?.taken !== true) {
      end(false);
      return undefined;
    }
  } catch (error) {
    end(true);
    throw error;
  }
  return {
    async [Symbol.asyncDispose]() {
      // A closed connection has no lock.
      const unlock = client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [KEY]);
      end(await unlock.then(() => false).catch(() => true));
    },
  };
}

const ignore = (): void => {};
