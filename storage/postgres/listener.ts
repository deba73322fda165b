import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const FIRST_RETRY_MS = 50;
const SLOWEST_RETRY_MS = 2_000;
const HEARTBEAT_MS = 10_000;
const ANSWER_MS = 5_000;

type Handler = (payload: string) => void;

/**
 * LISTEN on a dedicated connection. After a lost connection it reconnects and subscribes to every channel again.
 * Notifications in between are lost, as with any publish/subscribe.
 */
export class Listener implements AsyncDisposable {
  readonly #url: string;
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #closing = new AbortController();
  #live = Promise.withResolvers<pg.Client>();
  #client: pg.Client | undefined;
  #loop: Promise<void> | undefined;

  constructor(url: string) {
    this.#url = url;
    this.#live.promise.catch(() => {});
  }

  /** Resolves when the server has confirmed the LISTEN; waits while the server is unreachable. */
  async subscribe(channel: string, handler: Handler): Promise<AsyncDisposable> {
    const handlers = this.#handlers.get(channel) ?? new Set();
    this.#handlers.set(channel, handlers.add(handler));
    this.#loop ??= this.#run();
    await this.#listen(channel);
    return { [Symbol.asyncDispose]: () => this.#unsubscribe(channel, handler) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#live.reject(new Error('The listener is closed.'));
    await this.#loop;
  }

  async #listen(channel: string): Promise<void> {
    for (;;) {
      const client = await this.#live.promise;
      try {
        await client.query(`listen ${pg.escapeIdentifier(channel)}`);
        return;
      } catch (error) {
        if (this.#closing.signal.aborted) throw error;
        // The loop notices the broken connection and replaces it.
        await delay(FIRST_RETRY_MS);
      }
    }
  }

  async #unsubscribe(channel: string, handler: Handler): Promise<void> {
    const handlers = this.#handlers.get(channel);
    handlers?.delete(handler);
    if (handlers?.size !== 0) return;
    this.#handlers.delete(channel);
    await this.#client?.query(`unlisten ${pg.escapeIdentifier(channel)}`).catch(() => {});
  }

  async #run(): Promise<void> {
    let waitMs = FIRST_RETRY_MS;
    while (!this.#closing.signal.aborted) {
      const wasLive = await this.#connectOnce();
      if (this.#closing.signal.aborted) return;
      waitMs = wasLive ? FIRST_RETRY_MS : Math.min(waitMs * 2, SLOWEST_RETRY_MS);
      await delay(waitMs, undefined, { signal: this.#closing.signal }).catch(() => {});
    }
  }

  /** Connects, listens and returns when the connection is lost. False when it never started to listen. */
  async #connectOnce(): Promise<boolean> {
    const client = this.#newClient();
    const lost = Promise.withResolvers<void>();
    const stop = (): void => void client.end().catch(() => {});
    client.on('error', () => lost.resolve());
    client.on('end', () => lost.resolve());
    client.on('notification', ({ channel, payload }) => {
      for (const handler of this.#handlers.get(channel) ?? []) handler(payload ?? '');
    });
    this.#closing.signal.addEventListener('abort', stop);
    const heartbeat = setInterval(() => void client.query('select 1').catch(() => lost.resolve()), HEARTBEAT_MS);
    try {
      // A client that is ended while it connects never settles connect(); it does emit its end.
      await Promise.race([client.connect(), lost.promise]);
      for (const channel of this.#handlers.keys()) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
      this.#client = client;
      this.#live.resolve(client);
      await lost.promise;
      return true;
    } catch {
      return false;
    } finally {
      this.#closing.signal.removeEventListener('abort', stop);
      clearInterval(heartbeat);
      this.#forget();
      await client.end().catch(() => {});
    }
  }

  /** From now on subscribers wait for the next connection. */
  #forget(): void {
    if (this.#client === undefined || this.#closing.signal.aborted) return;
    this.#client = undefined;
    this.#live = Promise.withResolvers<pg.Client>();
    this.#live.promise.catch(() => {});
  }

  #newClient(): pg.Client {
    return new pg.Client({
      connectionString: this.#url,
      application_name: 'tradewind-listen',
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
    });
  }
}
