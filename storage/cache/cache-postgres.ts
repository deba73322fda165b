import type pg from 'pg';
import type { CacheEntry, CacheStore, ListLimits } from '#core/ports/cache.ts';
import { CacheError, MAX_HITS, requireCount, requireMessage, requireText, requireTexts } from './cache-limits.ts';
import { placeOf } from '#storage/postgres/connect.ts';
import { type Database, openDatabase } from '#storage/postgres/database.ts';
import { Listener } from '#storage/postgres/listener.ts';

export interface CachePool {
  /** Maximum pool size, in addition to the connection that listens. */
  readonly connections?: number;
  readonly connectTimeoutMs?: number;
}

const SWEEP_MS = 60_000;
/** A list is trimmed after so many appended entries; readers never see more than its cap. */
const TRIM_EVERY = 1_000;
/** The server stopped, crashed or is starting: a repeatable command gets a second attempt. */
const GONE_CODES = new Set(['57P01', '57P02', '57P03']);

const SET = `insert into cache_entries (key, value, expires_at)
  values ($1, $2, clock_timestamp() + $3::double precision * interval '1 ms')
  on conflict (key) do update set value = excluded.value, expires_at = excluded.expires_at`;
/** The expiry is a multiple of the time to live: an update that keeps it changes no index. */
const SET_ALL = `insert into cache_entries (key, value, expires_at)
  select key, value,
    to_timestamp(ceil(extract(epoch from clock_timestamp())::double precision * 1000 / "ttlMs" + 1) * "ttlMs" / 1000)
  from json_to_recordset($1::json) as entry (key text, value text, "ttlMs" double precision)
  on conflict (key) do update set value = excluded.value, expires_at = excluded.expires_at`;
const GET = 'select value from cache_entries where key = $1 and (expires_at is null or expires_at > clock_timestamp())';
const LIST = `select key, value from cache_entries
  where starts_with(key, $1) and (expires_at is null or expires_at > clock_timestamp()) order by key`;
const LIST_ANY = LIST.replace('starts_with(key, $1)', 'key ^@ any($1::text[])');
const DELETE = `with entry as (delete from cache_entries where key = $1), head as (delete from cache_list_heads where key = $1),
  list as (delete from cache_lists where key = $1) delete from cache_hits where key = $1`;
/**
 * Several texts are sent as one JSON text, which is cheaper to write than a PostgreSQL array.
 * The head's row lock orders concurrent appends to one list, so its numbers have no gaps.
 */
const APPEND = `with head as (
    insert into cache_list_heads as h (key, last, cap, expires_at)
    values ($1, $4, $3, clock_timestamp() + $5::double precision * interval '1 ms')
    on conflict (key) do update set last = h.last + excluded.last, cap = excluded.cap, expires_at = excluded.expires_at
    returning last - $4 as before
  )
  insert into cache_lists (key, seq, value)
  select $1, head.before + entry.place, entry.value
  from head, json_array_elements_text($2::json) with ordinality as entry (value, place)`;
const TRIM = `delete from cache_lists using cache_list_heads h
  where h.key = $1 and cache_lists.key = $1 and cache_lists.seq <= h.last - h.cap`;
const NEWEST = `select l.value from cache_list_heads h
  join cache_lists l on l.key = h.key and l.seq > h.last - h.cap and l.seq <= h.last - $3::bigint
  where h.key = $1 and (h.expires_at is null or h.expires_at > clock_timestamp()) order by l.seq desc limit $2`;
/** The conflicting row is locked before its hits are read, so concurrent hits are counted one after the other. */
const HIT = `insert into cache_hits as c (key, hits, expires_at)
  values ($1, array[clock_timestamp()], clock_timestamp() + $2::double precision * interval '1 ms')
  on conflict (key) do update set
    hits = (select array_agg(hit order by hit desc) from (
        select hit from unnest(c.hits) hit where hit > clock_timestamp() - $2::double precision * interval '1 ms'
        order by hit desc limit $3
      ) kept) || clock_timestamp(),
    expires_at = excluded.expires_at
  returning cardinality(hits) as count,
    extract(epoch from (select min(hit) from unnest(hits) hit) - clock_timestamp()) * 1000 + $2::double precision as reset_ms`;
const SWEEP = `with entries as (delete from cache_entries where expires_at <= clock_timestamp()),
  heads as (delete from cache_list_heads where expires_at <= clock_timestamp() returning key),
  lists as (delete from cache_lists using heads where cache_lists.key = heads.key)
  delete from cache_hits where expires_at <= clock_timestamp()`;

/** The cache store in UNLOGGED tables and LISTEN/NOTIFY of PostgreSQL: the default where no Redis or Valkey is given. */
export class PostgresCache implements CacheStore {
  readonly #place: string;
  readonly #database: Database;
  readonly #listener: Listener;
  readonly #untrimmed = new Map<string, number>();
  readonly #sweeping: NodeJS.Timeout;

  constructor(databaseUrl: string, { connections = 4, ...timing }: CachePool = {}) {
    this.#place = placeOf(databaseUrl);
    const names = { applicationName: 'tradewind-cache', queryTimeoutMs: 5_000 };
    this.#database = openDatabase(databaseUrl, { ...names, ...timing, max: connections });
    this.#listener = new Listener(databaseUrl);
    this.#sweeping = setInterval(() => void this.sweep().catch(() => {}), SWEEP_MS);
    this.#sweeping.unref();
  }

  async get(key: string): Promise<string | undefined> {
    requireText('A key', key);
    const { rows } = await this.#again<{ value: string }>(GET, [key]);
    return rows[0]?.value;
  }

  async set(key: string, value: string, ttlMs?: number): Promise<void> {
    requireText('A key', key);
    requireText(`The value of ${key}`, value);
    await this.#again(SET, [key, value, ttlMs ?? null]);
  }

  async setAll(entries: ReadonlyMap<string, CacheEntry>): Promise<void> {
    if (entries.size === 0) return;
    requireTexts(entries);
    const rows = [...entries].map(([key, { value, ttlMs }]) => ({ key, value, ttlMs }));
    await this.#again(SET_ALL, [JSON.stringify(rows)]);
  }

  async delete(key: string): Promise<void> {
    requireText('A key', key);
    await this.#again(DELETE, [key]);
  }

  async list(...prefixes: readonly string[]): Promise<Map<string, string>> {
    for (const prefix of prefixes) requireText('A prefix', prefix);
    const [text, wanted] = prefixes.length === 1 ? [LIST, prefixes[0]] : [LIST_ANY, prefixes];
    const { rows } = await this.#again<{ key: string; value: string }>(text, [wanted]);
    return new Map(rows.map((row) => [row.key, row.value]));
  }

  /** Not retried: after a lost connection the entries may already be stored. */
  async append(key: string, values: readonly string[], { cap, ttlMs }: ListLimits): Promise<void> {
    requireText('A key', key);
    requireCount('The cap of a list', cap);
    for (const value of values) requireText(`An entry of ${key}`, value);
    if (values.length === 0) return;
    await this.#once(APPEND, [key, JSON.stringify(values), cap, values.length, ttlMs ?? null]);
    const untrimmed = (this.#untrimmed.get(key) ?? TRIM_EVERY) + values.length;
    this.#untrimmed.set(key, untrimmed < TRIM_EVERY ? untrimmed : 0);
    if (untrimmed >= TRIM_EVERY) await this.#again(TRIM, [key]).catch(() => this.#untrimmed.delete(key));
  }

  async newest(key: string, limit: number, skip = 0): Promise<string[]> {
    requireText('A key', key);
    requireCount('A limit', limit);
    requireCount('The number of entries to skip', skip);
    const { rows } = await this.#again<{ value: string }>(NEWEST, [key, limit, skip]);
    return rows.map((row) => row.value);
  }

  async countInWindow(key: string, windowMs: number): Promise<{ count: number; resetMs: number }> {
    requireText('A key', key);
    const { rows } = await this.#once<{ count: number; reset_ms: string }>(HIT, [key, windowMs, MAX_HITS - 1]);
    const row = rows[0];
    if (row === undefined) throw new CacheError(`The window counter ${key} returned no row.`);
    return { count: row.count, resetMs: Math.max(0, Math.ceil(Number(row.reset_ms))) };
  }

  async publish(channel: string, ...messages: readonly string[]): Promise<void> {
    for (const message of messages) requireMessage(channel, message);
    await this.#once('select pg_notify($1, message) from json_array_elements_text($2::json) as message', [
      channelName(channel),
      JSON.stringify(messages),
    ]);
  }

  subscribe(channel: string, onMessage: (message: string) => void): Promise<AsyncDisposable> {
    return this.#listener.subscribe(channelName(channel), onMessage);
  }

  /** Removes expired rows; runs automatically once a minute. */
  async sweep(): Promise<void> {
    await this.#again(SWEEP, []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#sweeping);
    await this.#listener[Symbol.asyncDispose]();
    await this.#database[Symbol.asyncDispose]();
  }

  /** One attempt of a statement; a failure is a sentence without the values. */
  async #once<Row extends pg.QueryResultRow>(sql: string, values: unknown[]): Promise<pg.QueryResult<Row>> {
    try {
      return await this.#database.pool.query<Row>(sql, values);
    } catch (error) {
      throw this.#sentence(error);
    }
  }

  /** For idempotent statements: dead pooled connections cost one attempt. */
  async #again<Row extends pg.QueryResultRow>(sql: string, values: unknown[]): Promise<pg.QueryResult<Row>> {
    try {
      return await this.#database.pool.query<Row>(sql, values);
    } catch (error) {
      if (isGone(error)) return this.#once<Row>(sql, values);
      throw this.#sentence(error);
    }
  }

  #sentence(error: unknown): CacheError {
    const cause = error instanceof Error ? error.message : String(error);
    return new CacheError(
      `The cache store in PostgreSQL at ${this.#place} did not carry out a command: ${cause}. The next command tries again.`,
    );
  }
}

/** True when the connection failed, not the statement. */
function isGone(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (!('severity' in error)) return true;
  return 'code' in error && typeof error.code === 'string' && GONE_CODES.has(error.code);
}

const channelName = (channel: string): string => `tradewind_${channel}`;
