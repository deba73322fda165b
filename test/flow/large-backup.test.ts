import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openTestApi } from '#test/api/test-api.ts';
import { addManyLogs } from '#test/api/test-records.ts';
import { BackupRefused } from '#storage/backup/refused.ts';
import { restoreBackup } from '#storage/backup/restore.ts';
import { takeBackup } from '#storage/backup/take.ts';
import { type Database, openDatabase } from '#storage/postgres/database.ts';
import { migrateDatabase } from '#storage/postgres/migrate.ts';
import { openEmptyDatabase } from '#test/harness/test-database.ts';
import { provideDatabase } from '#test/harness/servers.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { until } from './until.ts';

/** A million in CI's second half. */
const ROWS = Number(process.env['BACKUP_ROWS'] ?? 50_000);
const folder = mkdtempSync(join(tmpdir(), 'large-backup-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Tables that a restore itself writes: kill switch, first states of coins, and migrations of the target database. */
const OWN = ['kill_switches', 'runner_states', 'schema_migrations'];

/** Rows and a digest of every table; the sum over all rows does not depend on their order. */
async function digests({ pool }: Database): Promise<Record<string, string>> {
  const client = await pool.connect();
  try {
    await client.query('set statement_timeout = 0');
    const { rows } = await client.query<{ name: string }>(
      `select table_name as name from information_schema.tables
       where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
    );
    const found: Record<string, string> = {};
    for (const { name } of rows.filter((row) => !OWN.includes(row.name))) {
      const { rows: sums } = await client.query<{ digest: string }>(
        `select count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) as digest from "${name}" t`,
      );
      found[name] = sums[0]?.digest ?? '';
    }
    return found;
  } finally {
    client.release();
  }
}

async function emptyAt(url: string, stack: AsyncDisposableStack): Promise<Database> {
  await migrateDatabase(url);
  return stack.use(openDatabase(url, { max: 2 }));
}

/** `tradewind restore` as a process of its own. */
const restoring = (url: string, path: string) =>
  spawn(process.execPath, [join(ROOT, 'cli/main.ts'), 'restore', '--from', path], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: 'ignore',
  });

test(`a backup with ${ROWS} log rows is the same tables wherever it is restored, or nothing is changed`, async () => {
  await using stack = new AsyncDisposableStack();
  const api = stack.use(await openTestApi());
  await api.signUp();
  const { id } = (await api.addProfile('Large', { symbols: ['BTCUSDT'] })).profile;
  await addManyLogs(api.database, id, { rows: ROWS, start: '2026-01-01T00:00:00Z' });
  const path = join(folder, 'large.backup');
  await takeBackup(api.database, path);
  const whole = await digests(api.database);
  // Sessions end with a restore.
  delete whole['sessions'];
  const restored = async (database: Database): Promise<Record<string, string>> => {
    const { sessions: _sessions, ...rest } = await digests(database);
    return rest;
  };

  const external = stack.use(await openEmptyDatabase());
  const into = await emptyAt(external.url, stack);
  const before = await digests(into);
  const bytes = readFileSync(path);
  const middle = Math.floor(bytes.length / 2);
  const altered = Buffer.from(bytes);
  altered[middle] = (altered[middle] ?? 0) ^ 1;
  for (const wrong of [bytes.subarray(0, middle), altered]) {
    const wrongPath = join(folder, 'wrong.backup');
    writeFileSync(wrongPath, wrong);
    await assert.rejects(restoreBackup(into, wrongPath), BackupRefused);
    assert.deepEqual(await digests(into), before);
  }

  const child = restoring(external.url, path);
  const exited = once(child, 'exit');
  await until('rows are being written', async () => {
    const { rows } = await into.pool.query(
      `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and query ~ 'action_logs'`,
    );
    return rows.length > 0;
  });
  child.kill('SIGKILL');
  await exited;
  assert.deepEqual(await digests(into), before, 'what was killed has changed nothing');

  const [code] = await once(restoring(external.url, path), 'exit');
  assert.equal(code, 0);
  assert.deepEqual(await restored(into), whole);

  const given = process.env['TEST_DATABASE_URL'];
  delete process.env['TEST_DATABASE_URL'];
  const embedded = await provideDatabase(stack, new AbortController().signal);
  process.env['TEST_DATABASE_URL'] = given ?? embedded;
  const beside = await emptyAt(embedded, stack);
  await restoreBackup(beside, path);
  assert.deepEqual(await restored(beside), whole);
});
