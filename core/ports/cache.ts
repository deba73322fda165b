export interface CacheEntry {
  readonly value: string;
  readonly ttlMs?: number;
}

export interface ListLimits {
  /** The list drops its oldest entries beyond so many. */
  readonly cap: number;
  /** The whole list expires when it receives no entry for so long. */
  readonly ttlMs?: number;
}

/** The cache store. Values are text; TTLs in ms. Both adapters pass storage/cache/cache.contract.ts. */
export interface CacheStore extends AsyncDisposable {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string, ttlMs?: number): Promise<void>;
  /**
   * Sets all of them, or as many as a lost connection allowed. An entry with `ttlMs` expires after that time and within
   * twice that time: writes that share an expiry cost less.
   */
  setAll(entries: ReadonlyMap<string, CacheEntry>): Promise<void>;
  delete(key: string): Promise<void>;
  /** Values of all live keys that begin with `prefix`. */
  list(prefix: string): Promise<Map<string, string>>;
  /** Adds to the end of a list. */
  append(key: string, values: readonly string[], limits: ListLimits): Promise<void>;
  /** Newest first; `skip` newest are left out. */
  newest(key: string, limit: number, skip?: number): Promise<string[]>;
  /** Counts one event in a sliding window: with it, how many fell into it (1,000 at most); when the oldest leaves. */
  countInWindow(key: string, windowMs: number): Promise<{ count: number; resetMs: number }>;
  /** In order; of equal messages of one call some may arrive once. */
  publish(channel: string, ...messages: readonly string[]): Promise<void>;
  /** Resolves when the subscription is live; messages over 7,000 bytes must not be published. */
  subscribe(channel: string, onMessage: (message: string) => void): Promise<AsyncDisposable>;
}
