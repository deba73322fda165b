import { cacheKeys, type Heartbeat, heartbeat } from '#core/installation/cache-keys.ts';
import { latestMigrationAppliedAt } from '#storage/postgres/migrate.ts';
import { readOperator } from '#storage/operator/users.ts';
import { onboarding, status } from '#api/contract/session.ts';
import type { AllRoutes } from '#api/handle.ts';
import { readCached } from '#api/frame/venues.ts';

/** The worker that most needs a restart: one with another build first, then the one that booted earliest. */
function worstWorker(workers: readonly Heartbeat[], apiSha: string): Heartbeat | undefined {
  const differs = (worker: Heartbeat): number => (worker.sha === apiSha ? 1 : 0);
  return workers.toSorted((a, b) => differs(a) - differs(b) || Date.parse(a.bootedAt) - Date.parse(b.bootedAt))[0];
}

export function mountStatus({ urgent: { context, handle } }: AllRoutes): void {
  const { settings, database, cache } = context;
  const { sha, bootedAt } = settings;

  handle(status, async () => {
    const appliedAt = await latestMigrationAppliedAt(database);
    if (appliedAt === undefined) throw new Error('The database has no migrations although this process started on it.');
    const entries = [...(await cache.list(cacheKeys.heartbeats)).values()];
    const workers = entries.flatMap((text) => readCached(heartbeat, text) ?? []);
    const worker = worstWorker(workers, sha);
    return {
      api: { sha, bootedAt },
      worker: worker === undefined ? null : { sha: worker.sha, bootedAt: new Date(worker.bootedAt) },
      db: { latestMigrationAppliedAt: appliedAt },
    };
  });

  handle(onboarding, async () => ({
    needsOnboarding: (await readOperator(database.kysely)) === undefined,
    demoMode: settings.liveDemo,
  }));
}
