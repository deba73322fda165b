import { cacheKeys, HEARTBEAT_EVERY_MS, HEARTBEAT_TTL_MS, type Heartbeat } from '#core/installation/cache-keys.ts';
import type { CacheStore } from '#core/ports/cache.ts';

/**
 * Writes this worker's entry every 5 s with a TTL of 15 s. It first deletes the entry of an earlier run in the same
 * slot, so that the status never shows the build of that run.
 */
export async function startHeartbeat(cache: CacheStore, slot: string, entry: Heartbeat): Promise<AsyncDisposable> {
  const key = cacheKeys.heartbeat(slot);
  const write = (): Promise<void> => cache.set(key, JSON.stringify(entry), HEARTBEAT_TTL_MS);
  await cache.delete(key);
  await write();
  const timer = setInterval(() => {
    // Without a cache there is no heartbeat, and the status must show that.
    write().catch(() => {});
  }, HEARTBEAT_EVERY_MS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await cache.delete(key).catch(() => {});
    },
  };
}
