import { COMMAND_CHANNEL, workerCommand } from '#core/installation/cache-keys.ts';
import type { CacheStore } from '#core/ports/cache.ts';
import type { EngineLog } from '#engine/state/ports.ts';
import type { Leases } from './leases.ts';

/** Executes commands of the api at once; the periodic reads make up for a missed command. */
export function followCommands(cache: CacheStore, leases: Leases, log: EngineLog): Promise<AsyncDisposable> {
  const act = async (text: string): Promise<void> => {
    const command = workerCommand.safeParse(JSON.parse(text));
    if (!command.success) return;
    if (command.data.kind === 'accounts-changed') {
      await leases.refresh();
      return;
    }
    // worker/alerts.ts reads the price alerts, worker/viewers.ts follows the browsers.
    if (command.data.kind === 'alerts-changed' || command.data.kind === 'watched') return;
    for (const { running } of leases.running()) {
      if (running === null) continue;
      const work = command.data.kind === 'halts-changed' ? running.refreshHalts() : running.refreshProfiles();
      // After a half-finished change the account must not trade with old state: it starts again from stored state.
      work.catch(running.context.fail);
    }
  };
  return cache.subscribe(COMMAND_CHANNEL, (text) => {
    act(text).catch((err: unknown) =>
      log.warn({ event: 'command_failed', err }, 'A command of the api could not be executed'),
    );
  });
}
