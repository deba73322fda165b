import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseEnvironment } from '#core/installation/env.ts';
import { BACKUP_SCHEDULE } from '#core/installation/settings.ts';
import { listBackups } from '#storage/backup/folder.ts';
import { patchSetting } from '#storage/postgres/service-settings.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import type { NotifyDeps } from '#worker/notify.ts';
import { backUp } from './backup.ts';

test('a backup is written when it is due and old ones are removed; a failed one is reported', async () => {
  await using own = await openTestDatabase();
  const { database } = own;
  const folder = await mkdtemp(join(tmpdir(), 'tradewind-backups-'));
  const log = { info() {}, warn() {}, error() {} };
  const sent: unknown[] = [];
  const enqueue: NotifyDeps['queue']['enqueue'] = (_name, data) => Promise.resolve(void sent.push(data));
  const notifyDeps: NotifyDeps = { liveDemo: false, queue: { enqueue }, log };
  const run = (hours: number, dir = folder) => {
    const env = parseEnvironment({ DATABASE_URL: own.url, BACKUP_DIR: dir });
    return backUp({ env, database, log, notifyDeps }, new Date(Date.now() + hours * 3_600_000));
  };
  await run(0);
  assert.deepEqual(await listBackups(folder), [], 'off until it is switched on');
  await patchSetting(database.kysely, BACKUP_SCHEDULE, { enabled: true, intervalHours: 1, keep: 2 });
  for (const hours of [0, 0.1, 2, 4]) await run(hours);
  assert.equal((await listBackups(folder)).length, 2);
  assert.equal((await readdir(folder)).length, 2, 'nothing half written is left');
  await assert.rejects(run(0, join(folder, (await readdir(folder))[0] ?? '')));
  await assert.rejects(run(0, '/proc/takes/none'));
  assert.match(JSON.stringify(sent), /"event":"backup-failed".*"event":"backup-failed"/);
  const deep = join(folder, 'new', 'deep');
  await run(0, deep);
  assert.equal((await listBackups(deep)).length, 1);
  await rm(folder, { recursive: true });
});
