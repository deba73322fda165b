import { COMMAND_CHANNEL, workerCommand } from '#core/installation/cache-keys.ts';
import type { CacheStore } from '#core/ports/cache.ts';
import type { EngineLog } from '#engine/state/ports.ts';
import type { Leases } from './leases.ts';

/** What the api announces is acted on at once; whatever is missed, the periodic reads find. */
export function followCommands(cache: CacheStore, leases: Leases, log: EngineLog): Promise<AsyncDisposable> {
  const act = async (text: string): Promise<void> => {
    const command = workerCommand.safeParse(JSON.parse(text));
    if (!command.success) return;
    if (command.data.kind === 'accounts-changed') {
      await leases.refresh();
      return;
    }
    for (const { running } of leases.running()) {
      if (running === null) continue;
      const work = command.data.kind === 'halts-changed' ? running.refreshHalts() : running.refreshProfiles();
      // A half-finished change must not go on trading with the old state: the account starts again from stored facts.
      work.catch(running.context.fail);
    }
  };
  return cache.subscribe(COMMAND_CHANNEL, (text) => {
    act(text).catch((err: unknown) =>
      log.warn({ event: 'command_failed', err }, 'A command of the api could not be followed'),
    );
  });
}
