interface Entry<Value> {
  readonly value: Promise<Value>;
  readonly untilMs: number;
}

interface MemoOptions<Value> {
  readonly nowMs: () => number;
  /** Maximum number of entries; the oldest is evicted first. */
  readonly most: number;
  /** Values that may be remembered; all by default. */
  readonly keep?: (value: Value) => boolean;
}

/** Caches results for a while; concurrent callers share one load. Failures are not cached. */
export class Memo<Value> {
  readonly #options: MemoOptions<Value>;
  readonly #entries = new Map<string, Entry<Value>>();

  constructor(options: MemoOptions<Value>) {
    this.#options = options;
  }

  get(key: string, ttlMs: number, load: () => Promise<Value>): Promise<Value> {
    const nowMs = this.#options.nowMs();
    const known = this.#entries.get(key);
    if (known !== undefined && known.untilMs > nowMs) return known.value;
    const entry: Entry<Value> = { value: load(), untilMs: nowMs + ttlMs };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#dropOldest();
    entry.value.then(
      (value) => this.#options.keep?.(value) === false && this.#forget(key, entry),
      () => this.#forget(key, entry),
    );
    return entry.value;
  }

  /** Forgets every value, also those that are being loaded: their callers still get them. */
  clear(): void {
    this.#entries.clear();
  }

  #forget(key: string, entry: Entry<Value>): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }

  #dropOldest(): void {
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= this.#options.most) return;
      this.#entries.delete(key);
    }
  }
}
