import type { CacheStore } from '#core/ports/cache.ts';

/** Where an answer reads the values that workers report. */
export type CachedValues = Pick<CacheStore, 'get' | 'list'>;

/** Values of the cache store that were read together, for one answer; others are read when they are wanted. */
export class CacheSnapshot implements CachedValues {
  readonly #cache: CachedValues;
  readonly #prefixes: readonly string[];
  readonly #values: ReadonlyMap<string, string>;

  private constructor(cache: CachedValues, prefixes: readonly string[], values: ReadonlyMap<string, string>) {
    this.#cache = cache;
    this.#prefixes = prefixes;
    this.#values = values;
  }

  /** A key counts as a prefix too. */
  static async read(cache: CachedValues, prefixes: readonly string[]): Promise<CacheSnapshot> {
    return new CacheSnapshot(cache, prefixes, prefixes.length === 0 ? new Map() : await cache.list(...prefixes));
  }

  get(key: string): Promise<string | undefined> {
    return this.#covers(key) ? Promise.resolve(this.#values.get(key)) : this.#cache.get(key);
  }

  list(prefix: string): Promise<Map<string, string>> {
    if (!this.#covers(prefix)) return this.#cache.list(prefix);
    return Promise.resolve(new Map([...this.#values].filter(([key]) => key.startsWith(prefix))));
  }

  #covers(key: string): boolean {
    return this.#prefixes.some((prefix) => key.startsWith(prefix));
  }
}
