import { BACKUP_SCHEDULE } from '#core/installation/settings.ts';
import { keepBackup, listBackups, pruneBackups } from '#storage/backup/folder.ts';
import { readSetting } from '#storage/postgres/service-settings.ts';
import type { WorkerContext } from '#worker/context.ts';
import { notifyAccount } from '#worker/notify.ts';

const HOUR_MS = 3_600_000;

/** Runs every 15 minutes: writes a backup when one is due, and removes backups beyond the retention. */
export async function backUp(
  { env, database, log, notifyDeps }: Pick<WorkerContext, 'env' | 'database' | 'log' | 'notifyDeps'>,
  now = new Date(),
): Promise<void> {
  const { enabled, intervalHours, keep } = await readSetting(database.kysely, BACKUP_SCHEDULE);
  const folder = env.BACKUP_DIR;
  if (!enabled || folder === undefined) return;
  const [newest] = await listBackups(folder);
  if (newest !== undefined && now.getTime() - newest.at.getTime() < intervalHours * HOUR_MS) return;
  try {
    const path = await keepBackup(database, folder, now);
    await pruneBackups(folder, keep);
    log.info({ event: 'backup_written', path }, 'A backup was written');
  } catch (error) {
    const text = `Nothing was written to ${folder}; the worker tries again within 15 minutes.`;
    await notifyAccount(notifyDeps, null, {
      event: 'backup-failed',
      title: 'A scheduled backup was not written',
      text,
    });
    throw error;
  }
}
