import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, beforeEach, test } from 'node:test';
import { gzipSync, gunzipSync } from 'node:zlib';
import type { ProfileId } from '#core/ids.ts';
import { createAccount } from '#storage/operator/accounts.ts';
import { readBackupFile } from '#storage/backup/file.ts';
import { keepBackup } from '#storage/backup/folder.ts';
import { restoreBackup as restoreFrom } from '#storage/backup/restore.ts';
import { takeBackup } from '#storage/backup/take.ts';
import { openDatabase } from '#storage/postgres/database.ts';
import { migrateDatabase } from '#storage/postgres/migrate.ts';
import { MIGRATIONS } from '#storage/postgres/migration-files.ts';
import { createProfile } from '#storage/operator/profiles.ts';
import { openEmptyDatabase } from '#test/harness/test-database.ts';
import { until } from '#test/harness/test-outage.ts';
import { createOperator } from '#storage/operator/users.ts';
import { downloadBackup, readBackupConfig, restoreBackup, saveBackupConfig } from '#api/contract/backup.ts';
import { readKillSwitch } from '#api/contract/halts.ts';
import { listConfigHistory } from '#api/contract/profile-configs.ts';
import { changeProfile, deleteProfile, listProfiles } from '#api/contract/profiles.ts';
import { currentSession, signIn } from '#api/contract/session.ts';
import { addLogs } from '#test/api/test-records.ts';
import { cookieOf, EMAIL, openTestApi, PASSWORD, problemOf, type TestApi } from '#test/api/test-api.ts';

let api: TestApi;
let folder: string;
let profileId: ProfileId;
let file: Uint8Array<ArrayBuffer>;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tradewind-backups-'));
});
after(() => rm(folder, { recursive: true }));
beforeEach(async (context) => {
  await api?.[Symbol.asyncDispose]();
  api = await openTestApi({ backupDir: join(folder, context.name.slice(0, 5)) });
  await api.signUp();
  profileId = (await api.addProfile('Kept', { symbols: ['BTCUSDT', 'ETHUSDT'], config: { buy: { candleLimit: 30 } } }))
    .profile.id;
  await api.database.pool.query(
    `insert into runner_states (profile_id, symbol, cycle, order_sequence) values ($1, 'BTCUSDT', 7, 3)`,
    [profileId],
  );
  await addLogs(api.database, profileId, [
    { level: 'info', msg: 'é\t"\n\r\u2028', at: '2026-01-01T00:00:00Z', ctx: { n: 1e21 } },
  ]);
  const response = await fetch(`${api.url}/api${downloadBackup.path}`, { headers: { cookie: api.cookie ?? '' } });
  assert.equal(response.status, 200);
  file = new Uint8Array(await response.arrayBuffer());
  assert.equal(Number(response.headers.get('content-length')), file.length);
});
after(() => api[Symbol.asyncDispose]());

const upload = (body: Uint8Array<ArrayBuffer>, type = 'application/octet-stream') =>
  api.request('POST', `/api${restoreBackup.path}`, { headers: { 'content-type': type }, body });
/** Everything but what a restore itself adds. */
const contents = async (database = api.database) => {
  const path = join(folder, 'contents');
  await takeBackup(database, path);
  const texts: string[] = [];
  for await (const part of readBackupFile(path))
    if (part.kind === 'batch' && !['audit_logs', 'kill_switches'].includes(part.table))
      texts.push(`${part.table} ${part.json}`);
  return texts;
};

test('a restored backup equals the earlier data; sessions end, the kill switch is on, numbers are never reused', async () => {
  const before_ = await contents();
  const { rows } = await api.database.kysely
    .selectFrom('action_logs')
    .selectAll()
    .execute()
    .then((rows_) => ({ rows: rows_ }));
  await api.call(deleteProfile, { params: { id: profileId } });
  await api.database.pool.query(`select setval('fencing_number', 777); create table foreign_thing (id int)`);
  const reply = await upload(file);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(JSON.parse(reply.text).rows.profiles, 1);
  // The initial values of coins after a restore are checked below.
  const others = (texts: readonly string[]) => texts.filter((text) => !text.startsWith('runner_states '));
  assert.deepEqual(others(await contents()), others(before_));
  assert.deepEqual(await api.database.kysely.selectFrom('action_logs').selectAll().execute(), rows);
  assert.equal((await api.send(currentSession, {})).status, 401);
  api.cookie = cookieOf(await api.send(signIn, { body: { email: EMAIL, password: PASSWORD } }, { cookie: null }));
  const halt = await api.call(readKillSwitch, {});
  assert.deepEqual([halt.engaged, halt.freeze], [true, false]);
  assert.match(halt.reason ?? '', /^Restored from the backup of /);
  assert.deepEqual((await api.database.pool.query(`select nextval('fencing_number') as n`)).rows, [{ n: '778' }]);
  await api.database.pool.query(`insert into runner_states (profile_id, symbol) values ($1, 'XRPUSDT')`, [profileId]);
  const coins = await api.database.pool.query(
    `select symbol, cycle, compared, order_sequence - extract(epoch from now()) * 10 between -600 and 1 as above
      from runner_states order by symbol`,
  );
  assert.deepEqual(
    coins.rows,
    [
      { symbol: 'BTCUSDT', cycle: 7, compared: false, above: true },
      { symbol: 'ETHUSDT', cycle: 0, compared: false, above: true },
      { symbol: 'XRPUSDT', cycle: 0, compared: true, above: true },
    ],
    'no coin gives an id that it may have given since, and those of the backup are compared with the exchange',
  );
  assert.equal((await api.database.pool.query('select * from foreign_thing')).rowCount, 0, 'what is not ours stays');
  const audits = await api.database.kysely.selectFrom('audit_logs').select('action').execute();
  assert.ok(audits.some(({ action }) => action === 'backup.restore'));
  const changed = await api.call(changeProfile, { params: { id: profileId }, body: { config: {} } });
  assert.deepEqual(changed.profile.config, {}, 'the restored tables work on, triggers too');
  assert.equal((await api.call(listConfigHistory, { params: { id: profileId } })).versions.length, 2);
});

test('a file that is cut, altered, newer or no backup is refused before anything is touched', async () => {
  const text = gunzipSync(file).toString();
  const packed = (changed: string) => new Uint8Array(gzipSync(Buffer.from(changed)));
  const [head = '', ...rest] = text.split('\n');
  const newer = JSON.parse(head);
  newer.migrations.push({ number: 9999, name: '9999-later', digest: 'x' });
  const flipped = file.slice();
  flipped[Math.floor(flipped.length / 2)] = (flipped[Math.floor(flipped.length / 2)] ?? 0) ^ 1;
  const cases: [Uint8Array<ArrayBuffer>, RegExp][] = [
    [file.slice(0, file.length - 1), /cut off or damaged/],
    [file.slice(0, file.length - 9), /cut off or damaged/],
    [new Uint8Array([...file, 0, 0, 7]), /cut off or damaged|continues/],
    [file.slice(0, 200), /cut off or damaged|not a Tradewind backup/],
    [flipped, /altered|damaged|not a Tradewind backup/],
    [packed(text.replace('Kept', 'Kent')), /checksum differs/],
    [packed(`${text}more\n`), /continues after its end/],
    [packed(text.slice(0, text.lastIndexOf('\nend') + 1)), /cut off/],
    [packed([JSON.stringify(newer), ...rest].join('\n')), /newest migration is 9999-later.*upgrade first/],
    [new TextEncoder().encode('hello'), /not a Tradewind backup|damaged/],
  ];
  const whole = await contents();
  for (const [bytes, words] of cases) {
    const problem = problemOf(await upload(bytes));
    assert.equal(problem.status, 422, String(words));
    assert.match(problem.detail, words);
  }
  assert.equal(problemOf(await upload(file, 'application/json')).code, 'wrong_media_type');
  assert.deepEqual(await contents(), whole);
  assert.equal((await api.call(readKillSwitch, {})).engaged, false);
  assert.equal((await api.send(currentSession, {})).status, 200);
});

test('a backup of an older version is brought up to this one', async () => {
  const old = join(folder, 'old-migrations');
  await rm(old, { recursive: true, force: true });
  await mkdir(old);
  for (const name of (await readdir(MIGRATIONS)).filter((one) => one < '0006'))
    await copyFile(new URL(name, MIGRATIONS), join(old, name));
  await using empty = await openEmptyDatabase();
  await migrateDatabase(empty.url, { folder: pathToFileURL(`${old}/`) });
  await using before_ = openDatabase(empty.url, { max: 2 });
  const user = await createOperator(before_.kysely, { email: 'old@example.org', passwordHash: '', timezone: 'UTC' });
  assert.ok(user !== undefined);
  const account = { userId: user.id, name: 'Old', exchangeMode: 'testnet', endpoint: 'paper' } as const;
  const accountId = await createAccount(before_.kysely, account);
  assert.ok(accountId !== undefined);
  const profile = { accountId, name: 'Old profile', strategyName: 'hold', config: {}, enabled: false };
  await createProfile(before_.kysely, profile);
  await before_.pool.query(`update profiles set config = '{"n": 12345678901234567890.123456789}'`);
  const path = join(folder, 'old.backup');
  await takeBackup(before_, path);
  await restoreFrom(api.database, path);
  const { rows } = await api.database.pool.query(
    `select p.name, h.version, h.config::text from profiles p join profile_configs h on h.profile_id = p.id`,
  );
  assert.deepEqual(rows, [{ name: 'Old profile', version: 1, config: '{"n": 12345678901234567890.123456789}' }]);
});

test('a restore that is killed leaves the old data whole', async () => {
  const path = join(folder, 'killed.backup');
  await writeFile(path, file);
  await api.call(changeProfile, { params: { id: profileId }, body: { name: 'Newer' } });
  const whole = await contents();
  const { rows } = await api.database.pool.query<{ url: string }>('select current_database() as url');
  const url = new URL(process.env['TEST_DATABASE_URL'] ?? '');
  url.pathname = `/${rows[0]?.url}`;
  const holder = await api.database.pool.connect();
  try {
    await holder.query(
      'begin; set local idle_in_transaction_session_timeout = 0; lock table users in access share mode',
    );
    const cli = join(import.meta.dirname, '..', 'cli', 'main.ts');
    const child = spawn(process.execPath, [cli, 'restore', '--from', path], {
      env: { ...process.env, DATABASE_URL: url.href },
    });
    const exited = once(child, 'exit');
    await until('the restore waits for the last lock', async () => {
      const waiting = await api.database.pool.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.rowCount === 1;
    });
    child.kill('SIGKILL');
    await exited;
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  assert.deepEqual(await contents(), whole);
  assert.equal((await api.call(listProfiles, {})).profiles[0]?.name, 'Newer');
  const halt = await api.call(readKillSwitch, {});
  assert.deepEqual([halt.engaged, halt.reason], [true, 'A restore is running.'], 'trading stays halted and says why');
});

test('the schedule is set whole and shows what is kept', async () => {
  const body = { enabled: true, intervalHours: 1, keep: 2 };
  const saved = await api.call(saveBackupConfig, { body });
  assert.deepEqual([saved.keep, saved.folder, saved.backups], [2, api.context.settings.backupDir, []]);
  assert.equal((await api.refusal(saveBackupConfig, { body: { ...body, keep: 0 } })).errors?.[0]?.path, 'keep');
  await keepBackup(api.database, saved.folder ?? '');
  const { backups } = await api.call(readBackupConfig, {});
  assert.equal(
    (await upload(new Uint8Array(await readFile(join(saved.folder ?? '', backups[0]?.name ?? ''))))).status,
    200,
  );
});
