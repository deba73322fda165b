import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { restoreBackup } from '#storage/backup/restore.ts';
import { takeBackup } from '#storage/backup/take.ts';
import { openDatabase } from '#storage/postgres/database.ts';
import { migrateDatabase } from '#storage/postgres/migrate.ts';
import { openQueue } from '#storage/jobs/queue.ts';
import { startEmbeddedPostgres } from './launch.ts';

test('migrations, the queue, a backup and its restore work without a superuser, twice', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-role-'));
  t.after(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o711);
  const path = join(folder, 'one.backup');
  for (const _start of [1, 2]) {
    await using postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
    await migrateDatabase(postgres.url);
    await using _queue = await openQueue(postgres.url, { log: { warn() {}, error() {} }, works: false });
    await using database = openDatabase(postgres.url);
    const { rows: taken } = await takeBackup(database, path);
    const { rows: restored } = await restoreBackup(database, path);
    assert.equal(restored['schema_migrations'], taken['schema_migrations']);
    const { rows } = await database.pool.query(
      `select distinct tableowner as owner from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    assert.deepEqual(rows, [{ owner: 'tradewind_service' }]);
  }
});
