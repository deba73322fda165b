export interface CacheEntry {
  readonly value: string;
  readonly ttlMs?: number;
}

export interface ListLimits {
  /** Maximum length of the list; older entries are dropped. */
  readonly cap: number;
  /** The whole list expires when it receives no entry for this time. */
  readonly ttlMs?: number;
}

/** The cache store. Values are text; TTLs in ms. Both adapters pass storage/cache/cache.contract.ts. */
export interface CacheStore extends AsyncDisposable {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string, ttlMs?: number): Promise<void>;
  /**
   * Sets all entries, or as many as a lost connection allowed. An entry with `ttlMs` expires between that time and twice
   * that time, because writes with a common expiry cost less.
   */
  setAll(entries: ReadonlyMap<string, CacheEntry>): Promise<void>;
  delete(key: string): Promise<void>;
  /** Values of all live keys with one of these prefixes. */
  list(...prefixes: readonly string[]): Promise<Map<string, string>>;
  /** Adds to the end of a list. */
  append(key: string, values: readonly string[], limits: ListLimits): Promise<void>;
  /** Newest first, without the newest `skip` entries. */
  newest(key: string, limit: number, skip?: number): Promise<string[]>;
  /** Counts one event in a sliding window. Returns the count with it (1,000 at most) and when the oldest one leaves. */
  countInWindow(key: string, windowMs: number): Promise<{ count: number; resetMs: number }>;
  /** In order. Equal messages of one call may arrive only once. */
  publish(channel: string, ...messages: readonly string[]): Promise<void>;
  /** Resolves when the subscription is live; messages over 7,000 bytes must not be published. */
  subscribe(channel: string, onMessage: (message: string) => void): Promise<AsyncDisposable>;
}
