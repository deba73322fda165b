import { cacheKeys, type Heartbeat, heartbeat } from '#core/installation/cache-keys.ts';
import { latestMigrationAppliedAt } from '#storage/postgres/migrate.ts';
import { readOperator } from '#storage/operator/users.ts';
import { onboarding, status } from '#api/contract/session.ts';
import type { AllRoutes } from '#api/handle.ts';
import { Memo } from '#api/frame/memo.ts';
import { readCached } from '#api/frame/venues.ts';

/** Every open page reads the status every few seconds. */
const STATUS_MS = 1_000;

/** The worker that most needs a restart: one with another build first, then the one that booted earliest. */
function worstWorker(workers: readonly Heartbeat[], apiSha: string): Heartbeat | undefined {
  const differs = (worker: Heartbeat): number => (worker.sha === apiSha ? 1 : 0);
  return workers.toSorted((a, b) => differs(a) - differs(b) || Date.parse(a.bootedAt) - Date.parse(b.bootedAt))[0];
}

export function mountStatus({ urgent: { context, handle } }: AllRoutes): void {
  const { settings, database, cache } = context;
  const { sha, bootedAt } = settings;
  const recent = new Memo<Awaited<ReturnType<typeof read>>>({ nowMs: () => context.now().getTime(), most: 1 });

  const read = async () => {
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
  };
  handle(status, () => recent.get('status', STATUS_MS, read));

  handle(onboarding, async () => ({
    needsOnboarding: (await readOperator(database.kysely)) === undefined,
    demoMode: settings.liveDemo,
  }));
}
