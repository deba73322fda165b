import { z } from 'zod';
import { instantText } from '#core/text-fields.ts';
import { BACKUP_SCHEDULE } from '#core/installation/settings.ts';
import { instant } from './fields.ts';
import { operation } from './operation.ts';

export const BACKUP_TYPE = 'application/octet-stream';

export const downloadBackup = operation({
  method: 'GET',
  path: '/backup',
  auth: 'session',
  status: 200,
  summary: 'A consistent snapshot of all data as one file; it holds secrets in plaintext',
  audit: 'backup.download',
  media: [BACKUP_TYPE],
});

export const restoreBackup = operation({
  method: 'POST',
  path: '/restore',
  auth: 'session',
  status: 200,
  summary: 'Checks a backup, then replaces all data with it; trading is halted until the kill switch is released',
  audit: 'backup.restore',
  upload: BACKUP_TYPE,
  response: z.object({ backupAt: instantText, rows: z.record(z.string(), z.number()) }),
});

const config = BACKUP_SCHEDULE.schema.extend({
  /** Null when no backup folder is set (BACKUP_DIR). */
  folder: z.string().nullable(),
  nextDueAt: instant.nullable(),
  backups: z.array(z.object({ name: z.string(), bytes: z.number(), at: instant })),
});

export const readBackupConfig = operation({
  method: 'GET',
  path: '/backup/config',
  auth: 'session',
  status: 200,
  summary: 'The backup schedule and the stored backups',
  response: config,
});

export const saveBackupConfig = operation({
  method: 'PUT',
  path: '/backup/config',
  auth: 'session',
  status: 200,
  summary: 'Sets how often a backup is written and how many are kept',
  audit: 'backup.configure',
  body: BACKUP_SCHEDULE.schema,
  response: config,
});
