import { cacheKeys } from '#core/installation/cache-keys.ts';
import type { CacheStore } from '#core/ports/cache.ts';
import type { ProfileId } from '#core/ids.ts';

/** Removes a deleted profile from the cache store: its tick trace and its coin states. */
export async function forgetProfile(cache: CacheStore, profileId: ProfileId): Promise<void> {
  await cache.delete(cacheKeys.tickTrace(profileId));
  for (const key of (await cache.list(cacheKeys.coinStates(profileId))).keys()) await cache.delete(key);
}
