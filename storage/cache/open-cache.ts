import type { CacheStore } from '#core/ports/cache.ts';
import { type CachePool, PostgresCache } from './cache-postgres.ts';
import { RedisCache } from './cache-redis.ts';

interface CachePlace extends CachePool {
  readonly cacheUrl?: string | undefined;
  readonly databaseUrl: string;
}

/**
 * The cache store: Redis or Valkey where its URL is given, else tables of PostgreSQL. Fails with a sentence when the
 * server cannot be reached. Later outages fail single commands; the connection recovers automatically.
 */
export async function openCache({ cacheUrl, databaseUrl, ...pool }: CachePlace): Promise<CacheStore> {
  if (cacheUrl !== undefined) return checked(new RedisCache(cacheUrl), (cache) => cache.check());
  return checked(new PostgresCache(databaseUrl, pool), (cache) => cache.sweep());
}

async function checked<Cache extends CacheStore>(cache: Cache, check: (cache: Cache) => Promise<void>): Promise<Cache> {
  try {
    await check(cache);
    return cache;
  } catch (error) {
    await cache[Symbol.asyncDispose]();
    throw error;
  }
}
