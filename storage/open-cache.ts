import type { CacheStore } from '#core/ports.ts';
import { PostgresCache } from './cache-postgres.ts';
import { RedisCache } from './cache-redis.ts';

/**
 * The cache store: Redis or Valkey where its URL is given, else tables of PostgreSQL. Fails with a sentence when the
 * server cannot be reached; later outages fail single commands and heal by themselves.
 */
export async function openCache(urls: { cacheUrl?: string | undefined; databaseUrl: string }): Promise<CacheStore> {
  if (urls.cacheUrl === undefined) return checked(new PostgresCache(urls.databaseUrl), (cache) => cache.sweep());
  return checked(new RedisCache(urls.cacheUrl), (cache) => cache.check());
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
