import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createGzip } from 'node:zlib';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { until } from '#test/harness/test-outage.ts';
import { downloadBackup, restoreBackup } from '#api/contract/backup.ts';
import { readKillSwitch } from '#api/contract/halts.ts';
import { listProfiles } from '#api/contract/profiles.ts';
import { currentSession } from '#api/contract/session.ts';
import { ORIGIN, openTestApi, problemOf, type TestApi } from '#test/api/test-api.ts';

const MIB = 1024 ** 2;
const FORMER = /^tradewind-backup-/;
let api: TestApi;
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tradewind-upload-'));
  api = await openTestApi({ backupDir: folder });
  await api.signUp();
  await api.addProfile('Kept', { symbols: ['BTCUSDT'] });
});
after(async () => {
  await api[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const upload = (body: Uint8Array<ArrayBuffer>, signal = AbortSignal.timeout(30_000)): Promise<Response> =>
  fetch(`${api.url}/api${restoreBackup.path}`, {
    method: 'POST',
    headers: { origin: ORIGIN, cookie: api.cookie ?? '', 'content-type': 'application/octet-stream' },
    body,
    signal,
  });

/** So many mebibytes of one letter, packed to a thousandth. */
async function* letters(mebibytes: number): AsyncGenerator<Buffer> {
  const piece = Buffer.alloc(MIB, 'a');
  for (let n = 0; n < mebibytes; n += 1) yield piece;
}

test('a small file that unpacks to hundreds of megabytes is refused while the api answers others', async () => {
  const bomb = new Uint8Array(await buffer(Readable.from(letters(300)).pipe(createGzip())));
  assert.ok(bomb.length < MIB);
  let slowestMs = 0;
  let done = false;
  const refusing = upload(bomb).finally(() => {
    done = true;
  });
  while (!done) {
    const startedMs = performance.now();
    assert.equal((await fetch(`${api.url}/api/health/live`)).status, 200);
    slowestMs = Math.max(slowestMs, performance.now() - startedMs);
  }
  const response = await refusing;
  const problem = problemOf({ status: response.status, headers: response.headers, text: await response.text() });
  assert.equal(problem.status, 422);
  assert.match(problem.detail, /unpacks to more than 200 times its size|a line of more than 64 MiB/);
  assert.ok(slowestMs < 2_000, `an answer took ${Math.round(slowestMs)} ms`);
});

test('a restore ends with its client: nothing is changed, trading continues, and no file is left', async () => {
  const answer = await fetch(`${api.url}/api${downloadBackup.path}`, { headers: { cookie: api.cookie ?? '' } });
  const file = new Uint8Array(await answer.arrayBuffer());
  await api.addProfile('Newer', { symbols: [] });
  const former = new Set(await readdir(tmpdir()));
  const holder = await api.database.pool.connect();
  const leaving = new AbortController();
  try {
    await holder.query('begin; set local idle_in_transaction_session_timeout = 0; lock table orders');
    const gone = assert.rejects(upload(file, leaving.signal));
    await until('trading is frozen', async () => (await api.call(readKillSwitch, {})).freeze === true);
    const left = (await readdir(tmpdir())).filter((name) => FORMER.test(name) && !former.has(name));
    assert.deepEqual(left, [], 'a process that is killed now leaves no copy of the upload');
    assert.deepEqual(await readdir(folder), []);
    leaving.abort();
    await gone;
    // The api has seen the end of that connection before it answers the next requests.
    for (let n = 0; n < 3; n += 1) await api.call(currentSession, {});
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  await until('the restore has ended', async () => {
    const { reason, engaged } = await api.call(readKillSwitch, {});
    return reason !== 'A restore is running.' || !engaged;
  });
  assert.equal((await api.call(readKillSwitch, {})).engaged, false);
  const names = (await api.call(listProfiles, {})).profiles.map(({ name }) => name);
  assert.deepEqual(names.toSorted(), ['Kept', 'Newer']);
});

test('a restore that would end in a deadlock with another transaction waits until that one has ended', async () => {
  const answer = await fetch(`${api.url}/api${downloadBackup.path}`, { headers: { cookie: api.cookie ?? '' } });
  const file = new Uint8Array(await answer.arrayBuffer());
  await api.addProfile('Newer again', { symbols: [] });
  const { pool } = api.database;
  const tables = await pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r' order by oid`,
  );
  const holder = await pool.connect();
  try {
    await holder.query('begin; set local idle_in_transaction_session_timeout = 0; set local lock_timeout = 0');
    // The restore has every table but the last, for which it waits; the other transaction then waits for an earlier one.
    await holder.query(`lock table "${tables.rows.at(-1)?.name}" in access share mode`);
    const restored = upload(file);
    await until('the restore waits for a lock', async () => {
      const { rowCount } = await pool.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rowCount === 1;
    });
    await holder.query('lock table profiles in access share mode; commit');
    assert.equal((await restored).status, 200);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
});
