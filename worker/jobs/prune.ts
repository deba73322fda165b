import { RETENTION } from '#core/installation/settings.ts';
import { scrubError } from '#core/installation/scrub.ts';
import { pruneRecords, savePruneReceipt } from '#storage/history/prune.ts';
import { readSetting } from '#storage/postgres/service-settings.ts';
import type { WorkerContext } from '#worker/context.ts';

/** Removes records beyond the retention and stores a receipt, also after a failure. */
export async function prune({ database, log }: WorkerContext): Promise<void> {
  const settings = await readSetting(database.kysely, RETENTION);
  try {
    const deleted = await pruneRecords(database, settings);
    await savePruneReceipt(database.kysely, { ok: true, error: null, deleted, settings });
    log.info({ event: 'pruned', ...deleted }, 'Removed records beyond the retention');
  } catch (error) {
    const { message } = scrubError(error);
    await savePruneReceipt(database.kysely, { ok: false, error: message, deleted: {}, settings });
    throw error;
  }
}
