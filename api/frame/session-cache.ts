import { readSession, type StoredSession } from '#storage/operator/sessions.ts';
import type { Reader } from '#storage/postgres/database.ts';
import { Memo } from './memo.ts';

/** An ended session is refused after this time at the latest, also when the message about its end was lost. */
const KEPT_MS = 800;
const MOST_SESSIONS = 1_000;

/**
 * The sessions of the last second, for requests that change nothing: a page sends a dozen at once. Each end of a session is
 * published to every api (api/frame/bus.ts), and each change that this api handles clears it.
 */
export class SessionCache {
  readonly #memo = new Memo<StoredSession | undefined>({
    nowMs: () => performance.now(),
    most: MOST_SESSIONS,
    keep: (session) => session !== undefined,
  });

  /** The session of a token that is still valid at `at`. */
  async read(reader: Reader, tokenHash: Buffer, at: Date): Promise<StoredSession | undefined> {
    const key = tokenHash.toString('base64');
    const session = await this.#memo.get(key, KEPT_MS, () => readSession(reader, tokenHash, at));
    return session !== undefined && session.expiresAt > at ? session : undefined;
  }

  clear(): void {
    this.#memo.clear();
  }
}
