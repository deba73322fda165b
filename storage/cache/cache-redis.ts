import { randomUUID } from 'node:crypto';
import { Redis, ReplyError } from 'ioredis';
import type { CacheEntry, CacheStore, ListLimits } from '#core/ports/cache.ts';
import { CacheError, MAX_HITS, requireCount, requireMessage, requireText, requireTexts } from './cache-limits.ts';

const ANSWER_MS = 5_000;
const SLOWEST_RETRY_MS = 2_000;
const SCAN_COUNT = 1_000;
const PUSH_AT_ONCE = 1_000;

/** A sliding window as a sorted set of hit times, by the server's clock. */
const HIT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window = tonumber(ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
redis.call('ZADD', KEYS[1], now, ARGV[2])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - tonumber(ARGV[3]))
redis.call('PEXPIRE', KEYS[1], window)
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return {redis.call('ZCARD', KEYS[1]), tonumber(oldest[2]) + window - now}`;

/** The cache store in Redis or Valkey; all keys begin with `tradewind:`. */
export class RedisCache implements CacheStore {
  readonly #url: string;
  readonly #place: string;
  readonly #commands: Redis;
  /** A connection that subscribes can do nothing else; it is opened with the first subscription. */
  #subscriber: Redis | undefined;
  readonly #handlers = new Map<string, Set<(message: string) => void>>();

  constructor(cacheUrl: string) {
    this.#url = cacheUrl.replace(/^valkey(s?):/, 'redis$1:');
    this.#place = new URL(cacheUrl).host;
    // Without retries a command fails as soon as the connection is lost, and is never sent twice.
    this.#commands = connect(this.#url, { maxRetriesPerRequest: 0, commandTimeout: ANSWER_MS });
  }

  async get(key: string): Promise<string | undefined> {
    requireText('A key', key);
    return (await this.#run((redis) => redis.get(valueKey(key)))) ?? undefined;
  }

  async set(key: string, value: string, ttlMs?: number): Promise<void> {
    requireText('A key', key);
    requireText(`The value of ${key}`, value);
    await this.#run((redis) =>
      ttlMs === undefined
        ? redis.set(valueKey(key), value)
        : redis.set(valueKey(key), value, 'PX', Math.max(1, Math.round(ttlMs))),
    );
  }

  async setAll(entries: ReadonlyMap<string, CacheEntry>): Promise<void> {
    if (entries.size === 0) return;
    requireTexts(entries);
    await this.#run(async (redis) => {
      const commands = redis.pipeline();
      for (const [key, { value, ttlMs }] of entries)
        if (ttlMs === undefined) commands.set(valueKey(key), value);
        else commands.set(valueKey(key), value, 'PX', Math.max(1, Math.round(ttlMs)));
      for (const [error] of (await commands.exec()) ?? []) if (error !== null) throw error;
    });
  }

  async delete(key: string): Promise<void> {
    requireText('A key', key);
    await this.#run((redis) => redis.del(valueKey(key), listKey(key), windowKey(key)));
  }

  async list(...prefixes: readonly string[]): Promise<Map<string, string>> {
    for (const prefix of prefixes) requireText('A prefix', prefix);
    const found = (await Promise.all(prefixes.map((prefix) => this.#listPrefix(prefix)))).flat();
    return new Map(found.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
  }

  async #listPrefix(prefix: string): Promise<[string, string][]> {
    const found: [string, string][] = [];
    let cursor = '0';
    do {
      const [next, keys] = await this.#run((redis) =>
        redis.scan(cursor, 'MATCH', `${escapeGlob(valueKey(prefix))}*`, 'COUNT', SCAN_COUNT),
      );
      const values = keys.length === 0 ? [] : await this.#run((redis) => redis.mget(keys));
      for (const [i, key] of keys.entries()) {
        const value = values[i];
        if (typeof value === 'string') found.push([key.slice(valueKey('').length), value]);
      }
      cursor = next;
    } while (cursor !== '0');
    return found;
  }

  async append(key: string, values: readonly string[], { cap, ttlMs }: ListLimits): Promise<void> {
    requireText('A key', key);
    requireCount('The cap of a list', cap);
    for (const value of values) requireText(`An entry of ${key}`, value);
    if (values.length === 0) return;
    await this.#run(async (redis) => {
      const transaction = redis.multi();
      for (let i = 0; i < values.length; i += PUSH_AT_ONCE)
        transaction.rpush(listKey(key), ...values.slice(i, i + PUSH_AT_ONCE));
      if (cap === 0) transaction.del(listKey(key));
      else transaction.ltrim(listKey(key), -cap, -1);
      if (ttlMs === undefined) transaction.persist(listKey(key));
      else transaction.pexpire(listKey(key), Math.max(1, Math.round(ttlMs)));
      for (const [error] of (await transaction.exec()) ?? []) if (error !== null) throw error;
    });
  }

  async newest(key: string, limit: number, skip = 0): Promise<string[]> {
    requireText('A key', key);
    requireCount('A limit', limit);
    requireCount('The number of entries to skip', skip);
    if (limit === 0) return [];
    return (await this.#run((redis) => redis.lrange(listKey(key), -(skip + limit), -(skip + 1)))).reverse();
  }

  async countInWindow(key: string, windowMs: number): Promise<{ count: number; resetMs: number }> {
    requireText('A key', key);
    const reply = await this.#run((redis) =>
      redis.eval(HIT, 1, windowKey(key), Math.ceil(windowMs), randomUUID(), MAX_HITS),
    );
    const [count, resetMs] = Array.isArray(reply) ? reply.map(Number) : [];
    if (count === undefined || resetMs === undefined)
      throw new CacheError(`The window counter ${key} returned no numbers.`);
    return { count, resetMs };
  }

  async publish(channel: string, ...messages: readonly string[]): Promise<void> {
    for (const message of messages) requireMessage(channel, message);
    const name = this.#channelName(channel);
    await this.#run((redis) => Promise.all(messages.map((message) => redis.publish(name, message))));
  }

  async subscribe(channel: string, onMessage: (message: string) => void): Promise<AsyncDisposable> {
    const name = this.#channelName(channel);
    const subscriber = (this.#subscriber ??= this.#openSubscriber());
    const handlers = this.#handlers.get(name) ?? new Set();
    this.#handlers.set(name, handlers.add(onMessage));
    await subscriber.subscribe(name);
    return {
      [Symbol.asyncDispose]: async () => {
        handlers.delete(onMessage);
        if (handlers.size > 0) return;
        this.#handlers.delete(name);
        if (subscriber.status === 'ready') await subscriber.unsubscribe(name).catch(() => {});
      },
    };
  }

  /** Fails with a sentence when the server cannot be reached. */
  async check(): Promise<void> {
    await this.#run((redis) => redis.ping());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const redis of [this.#commands, this.#subscriber]) redis?.disconnect();
  }

  #openSubscriber(): Redis {
    // Subscriptions wait for an unreachable server and are restored after each reconnect.
    const subscriber = connect(this.#url, { maxRetriesPerRequest: null });
    subscriber.on('message', (name: string, message: string) => {
      for (const handler of this.#handlers.get(name) ?? []) handler(message);
    });
    return subscriber;
  }

  /** Channels are shared by all numbered databases of a server, so the number is part of the name. */
  #channelName(channel: string): string {
    return `tradewind:${this.#commands.options.db ?? 0}:${channel}`;
  }

  async #run<Result>(command: (redis: Redis) => Promise<Result>): Promise<Result> {
    try {
      return await command(this.#commands);
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      const away = this.#commands.status !== 'ready';
      if (away && error instanceof ReplyError)
        throw new CacheError(
          `The cache store at ${this.#place} refuses the connection (${cause}): check the password in CACHE_URL.`,
        );
      throw new CacheError(
        away
          ? `The cache store at ${this.#place} does not answer: check that Redis or Valkey runs there. The connection is retried automatically.`
          : `The cache store at ${this.#place} did not carry out a command: ${cause}.`,
      );
    }
  }
}

function connect(url: string, options: { maxRetriesPerRequest: number | null; commandTimeout?: number }): Redis {
  const redis = new Redis(url, {
    ...options,
    connectTimeout: ANSWER_MS,
    retryStrategy: (attempt: number) => Math.min(50 * 2 ** Math.min(attempt, 6), SLOWEST_RETRY_MS),
  });
  // Without a listener a lost connection would end the process; the commands report it.
  redis.on('error', () => {});
  return redis;
}

const valueKey = (key: string): string => `tradewind:value:${key}`;
const listKey = (key: string): string => `tradewind:list:${key}`;
const windowKey = (key: string): string => `tradewind:window:${key}`;
const escapeGlob = (text: string): string => text.replace(/[\\*?[\]^-]/g, '\\$&');
