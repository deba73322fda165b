const MAX_KEYS = 10_000;

interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

/** Token buckets in memory: each key may use `burst` tokens at once, and `perSecond` on average. */
export class TokenBuckets {
  readonly #perMs: number;
  readonly #burst: number;
  /** Least recently used first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor({ perSecond, burst }: { readonly perSecond: number; readonly burst: number }) {
    this.#perMs = perSecond / 1000;
    this.#burst = burst;
  }

  /** Takes a token of the key and returns 0, or returns the milliseconds until a token is available. */
  take(key: string, nowMs: number): number {
    const known = this.#buckets.get(key) ?? { tokens: this.#burst, atMs: nowMs };
    const filled = Math.min(this.#burst, known.tokens + (nowMs - known.atMs) * this.#perMs);
    const waitMs = filled >= 1 ? 0 : (1 - filled) / this.#perMs;
    this.#buckets.delete(key);
    this.#buckets.set(key, { tokens: waitMs === 0 ? filled - 1 : filled, atMs: nowMs });
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= MAX_KEYS) break;
      this.#buckets.delete(oldest);
    }
    return waitMs;
  }
}
