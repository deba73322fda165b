import { COMMAND_CHANNEL, WATCHED_EVERY_MS, workerCommand } from '#core/installation/cache-keys.ts';
import type { CacheStore } from '#core/ports/cache.ts';

/** Two messages of an api may be lost before its browsers count as gone. */
const WATCHED_MS = 2.5 * WATCHED_EVERY_MS;

/** Whether a browser shows what the worker publishes; without one, prices and records are written less often. */
interface Viewers extends AsyncDisposable {
  isWatched(): boolean;
}

/** Follows the messages that every api sends while a browser is connected to it (api/socket/hub.ts). */
export async function followViewers(cache: CacheStore): Promise<Viewers> {
  let watchedMs = Number.NEGATIVE_INFINITY;
  const listening = await cache.subscribe(COMMAND_CHANNEL, (text) => {
    if (workerCommand.safeParse(JSON.parse(text)).data?.kind === 'watched') watchedMs = performance.now();
  });
  return {
    isWatched: () => performance.now() - watchedMs < WATCHED_MS,
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
}
