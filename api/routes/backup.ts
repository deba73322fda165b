import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BACKUP_SCHEDULE } from '#core/installation/settings.ts';
import { backupName, listBackups } from '#storage/backup/folder.ts';
import { UPLOADED_FILE } from '#storage/backup/lines.ts';
import { BackupRefused } from '#storage/backup/refused.ts';
import { restoreBackup as restoreFrom } from '#storage/backup/restore.ts';
import { listRunning } from '#storage/research/dry-runs.ts';
import { writeBackup } from '#storage/backup/take.ts';
import { openUnnamedFile } from '#storage/backup/unnamed-file.ts';
import { patchSetting, readSetting } from '#storage/postgres/service-settings.ts';
import { announce } from '#api/frame/bus.ts';
import type { ApiContext } from '#api/frame/context.ts';
import {
  BACKUP_TYPE,
  downloadBackup,
  readBackupConfig,
  restoreBackup,
  saveBackupConfig,
} from '#api/contract/backup.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { ApiProblem, invalid } from '#api/frame/problem.ts';

const MAX_BYTES = 2 * 1024 ** 3;
const HOUR_MS = 3_600_000;

async function download(context: ApiContext, incoming: Incoming<typeof downloadBackup>): Promise<Response> {
  const { database, settings } = context;
  const { commit, signal } = incoming;
  const file = await openUnnamedFile(settings.backupDir);
  try {
    const { at, rows } = await writeBackup(database, file, signal);
    await commit(async () => ({ answer: undefined, after: { at, rows } }));
    const { size } = await file.stat();
    return new Response(Readable.toWeb(file.createReadStream({ start: 0 })) as ReadableStream, {
      headers: {
        'content-type': BACKUP_TYPE,
        'content-length': String(size),
        'content-disposition': `attachment; filename="${backupName(new Date(at))}"`,
      },
    });
  } catch (error) {
    await file.close();
    throw error instanceof BackupRefused ? refusal(error) : error;
  }
}

const refusal = ({ message }: BackupRefused): ApiProblem =>
  invalid([{ path: '', message: `was refused. ${message.replace(/\.$/, '')}` }]);

/** Limits the upload, so that an endless file cannot fill the disk. */
const limited = (): Transform => {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(bytes > MAX_BYTES ? new ApiProblem('body_too_large', 'The file is larger than 2 GiB.') : null, chunk);
    },
  });
};

async function restore(context: ApiContext, incoming: Incoming<typeof restoreBackup>) {
  const { database, settings, queue } = context;
  const { operator, commit, upload, signal } = incoming;
  await using file = await openUnnamedFile(settings.backupDir);
  try {
    await pipeline(upload, limited(), (arrived) => file.writeFile(arrived));
    const { at, rows } = await restoreFrom(database, file, { limits: UPLOADED_FILE, signal });
    const after = { at, rows, by: operator.user.email };
    await commit(async ({ transaction }) => {
      // The jobs of the queue are not in a backup.
      for (const dryRunId of await listRunning(transaction))
        await queue.enqueueIn(transaction, {
          ...{ name: 'evaluate-dry-run', data: { dryRunId }, singletonKey: dryRunId },
        });
      return { answer: undefined, userId: null, after };
    });
    for (const command of ['accounts-changed', 'profiles-changed', 'halts-changed'] as const)
      await announce(context, { command, events: [{ topic: 'status', data: {} }] });
    return { backupAt: at, rows };
  } catch (error) {
    if (error instanceof BackupRefused) throw refusal(error);
    if (signal.aborted) throw new ApiProblem('validation_failed', 'The client closed the connection.');
    throw error;
  }
}

export function mountBackup({ context, handle }: Routes): void {
  const { database, settings } = context;
  const view = async () => {
    const schedule = await readSetting(database.kysely, BACKUP_SCHEDULE);
    const { backupDir } = settings;
    const backups = backupDir === undefined ? [] : await listBackups(backupDir);
    const due = (backups[0]?.at.getTime() ?? context.now().getTime()) + schedule.intervalHours * HOUR_MS;
    return {
      ...schedule,
      folder: backupDir ?? null,
      nextDueAt: schedule.enabled && backupDir !== undefined ? new Date(due) : null,
      backups: backups.map(({ at, ...one }) => ({ ...one, at })),
    };
  };
  handle(downloadBackup, (incoming) => download(context, incoming));
  handle(restoreBackup, (incoming) => restore(context, incoming));
  handle(readBackupConfig, view);
  handle(saveBackupConfig, async ({ commit, body }) => {
    await commit(async ({ transaction }) => ({
      answer: undefined,
      ...(await patchSetting(transaction, BACKUP_SCHEDULE, body)),
    }));
    return view();
  });
}
