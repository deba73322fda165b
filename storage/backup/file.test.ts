import assert from 'node:assert/strict';
import { mkdtemp, open, readdir, readFile, rm, utimes, writeFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { until } from '#test/harness/test-outage.ts';
import { type Batch, type Manifest, readBackupFile, writeBackupFile } from './file.ts';
import { pruneBackups } from './folder.ts';
import { OWN_FILE, type ReadLimits } from './lines.ts';
import { BackupRefused } from './refused.ts';
import { countsWithin, takeBackup } from './take.ts';
import { openUnnamedFile, removeAbandonedUploads } from './unnamed-file.ts';

const MIB = 1024 ** 2;
const MANIFEST: Manifest = {
  format: 'tradewind-backup',
  version: 1,
  at: '2026-01-01T00:00:00.000Z',
  migrations: [{ number: 1, name: '0001-initial', digest: 'x' }],
  tables: ['audit_logs'],
  sequences: {},
};
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tradewind-file-'));
});
after(() => rm(folder, { recursive: true }));

/** Text that packs as JSON of records does, to about a tenth. */
const textOf = (bytes: number): string => {
  let text = '';
  for (let n = 0; text.length < bytes; n += 1) text += `{"n":${n},"price":"${(n * 7919) % 100_003}","é":"bought"},`;
  return text.slice(0, bytes);
};

async function fileWith(name: string, batches: readonly Batch[]): Promise<string> {
  const path = join(folder, name);
  await using file = await open(path, 'w');
  async function* each(): AsyncGenerator<Batch> {
    yield* batches;
  }
  await writeBackupFile(file, { manifest: MANIFEST, batches: each() });
  return path;
}

async function readAll(path: string, limits: ReadLimits = OWN_FILE): Promise<Batch[]> {
  const batches: Batch[] = [];
  for await (const part of readBackupFile(path, { limits })) if (part.kind === 'batch') batches.push(part);
  return batches;
}

test('a line of many megabytes, as earlier versions wrote them, is read in time that grows with its length', async () => {
  const secondsOf = async (bytes: number): Promise<number> => {
    const json = textOf(bytes);
    const path = await fileWith(`line-${bytes}`, [{ table: 'audit_logs', count: 1, json }]);
    const startedMs = performance.now();
    const [batch] = await readAll(path);
    assert.ok(batch?.json === json, 'the line comes back unchanged');
    return (performance.now() - startedMs) / 1000;
  };
  const short = await secondsOf(3 * MIB);
  const long = await secondsOf(24 * MIB);
  assert.ok(long < 1 + short * 24, `8 times the bytes took ${long.toFixed(2)} s instead of ${short.toFixed(2)} s`);
});

test('a file that unpacks to more than the limits is refused, and one within them is read', async () => {
  const json = textOf(MIB);
  const path = await fileWith(
    'limits',
    [1, 2, 3].map(() => ({ table: 'audit_logs', count: 1, json })),
  );
  assert.equal((await readAll(path, { lineBytes: 2 * MIB, totalBytes: 4 * MIB, ratio: 2 })).length, 3);
  const refused = (file: string, limits: Partial<ReadLimits>, words: RegExp) =>
    assert.rejects(readAll(file, { ...OWN_FILE, ...limits }), (error) => {
      assert.ok(error instanceof BackupRefused);
      assert.match(error.message, words);
      return true;
    });
  await refused(path, { lineBytes: MIB / 2 }, /a line of more than 0\.5 MiB/);
  await refused(
    path,
    { totalBytes: 2 * MIB },
    /unpacks to more than .* GiB\. If it is yours, restore it on the command/,
  );
  const bomb = join(folder, 'bomb');
  const lines = Buffer.alloc(MIB, 'a').fill('\n', MIB - 1);
  const head = `${JSON.stringify(MANIFEST)}\n`;
  await writeFile(bomb, gzipSync(Buffer.concat([Buffer.from(head), ...Array.from({ length: 80 }, () => lines)])));
  await refused(bomb, { ratio: 200 }, /more than 200 times its size/);
});

test('rows are grouped by bytes, and a row that is larger than a group comes alone', () => {
  assert.deepEqual(countsWithin([4, 4, 4, 9, 1, 20, 3, 7], 10), [2, 1, 2, 1, 2]);
  assert.deepEqual(countsWithin([20, 20], 10), [1, 1]);
  assert.deepEqual(countsWithin([], 10), []);
  assert.deepEqual(countsWithin([3, 3, 3], 10), [3]);
});

const bigRows = (count: number, bytes: number): string =>
  `insert into audit_logs (id, action, subject, ip, after)
    select gen_random_uuid(), 'big', n::text, '', jsonb_build_object('text', repeat(md5(n::text), ${Math.ceil(bytes / 32)}))
    from generate_series(1, ${count}) n`;

test('rows of more than a megabyte are written in lines of a few megabytes, each row once', async () => {
  await using own = await openTestDatabase();
  await own.database.pool.query(bigRows(24, 1.6 * MIB));
  await own.database.pool.query(bigRows(2, 6 * MIB));
  await own.database.pool.query(bigRows(700, 320));
  const path = join(folder, 'big');
  const { rows } = await takeBackup(own.database, path);
  assert.equal(rows['audit_logs'], 726);
  const lines = gunzipSync(await readFile(path))
    .toString()
    .split('\n');
  const longest = lines.toSorted((a, b) => b.length - a.length).slice(0, 3);
  assert.ok((longest[0]?.length ?? 0) < 6.1 * MIB, 'the longest line holds one row of 6 MiB');
  assert.ok((longest[2]?.length ?? 0) < 4.1 * MIB, 'every other line has 4 MiB at most');
  const subjects = (await readAll(path)).flatMap(({ table, json }): string[] =>
    table === 'audit_logs' ? JSON.parse(json).map((row: { subject: string }) => row.subject) : [],
  );
  assert.equal(subjects.length, 726);
  assert.equal(new Set(subjects).size, 700, 'none is missing');
});

test('a failed backup leaves the older file of that name unchanged, and no other file', async () => {
  await using own = await openTestDatabase();
  const { database } = own;
  const home = join(folder, 'kept');
  await mkdir(home);
  const path = join(home, 'mine.backup');
  await writeFile(path, 'an older good backup');
  await database.pool.query(bigRows(4, MIB));
  const holder = await database.pool.connect();
  await holder.query('begin; set local idle_in_transaction_session_timeout = 0; lock table orders in exclusive mode');
  await holder.query('lock table orders in access exclusive mode');
  const failed = assert.rejects(takeBackup(database, path));
  const waiting = `select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like 'declare%'`;
  await until('the backup waits for a table', async () => (await database.pool.query(waiting)).rowCount === 1);
  await database.pool.query(`select pg_terminate_backend(pid) from (${waiting}) waiting`);
  await failed;
  await holder.query('rollback');
  holder.release();
  assert.equal(await readFile(path, 'utf8'), 'an older good backup');
  assert.deepEqual(await readdir(home), ['mine.backup']);
  await takeBackup(database, path);
  assert.ok((await readAll(path)).length > 0);
  await assert.rejects(takeBackup(database, '/dev/null'), /is not a file/);
});

test('an unfinished backup is removed once no process writes it', async () => {
  const home = join(folder, 'pruned');
  await mkdir(home);
  const names = ['tradewind-a.backup.0.part', 'tradewind-b.backup.1.part', 'mine.part'];
  for (const name of names) await writeFile(join(home, name), '');
  await utimes(join(home, 'tradewind-a.backup.0.part'), 0, 0);
  await pruneBackups(home, 3);
  assert.deepEqual((await readdir(home)).toSorted(), ['mine.part', 'tradewind-b.backup.1.part']);
});

test('an upload has no name that a killed process could leave behind, and former leftovers are removed', async () => {
  const home = join(folder, 'uploads');
  {
    await using file = await openUnnamedFile(home);
    await file.write('keys');
    assert.deepEqual(await readdir(home), []);
    let text = '';
    for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) text += String(chunk);
    assert.equal(text, 'keys');
  }
  await using elsewhere = await openUnnamedFile('/proc/takes/none');
  assert.equal((await elsewhere.stat()).mode & 0o077, 0);
  const names = ['tradewind-backup-abcDE1', 'tradewind-backup-abcDE2', 'tradewind-backups-abcDE3'];
  for (const name of names) await mkdir(join(home, name));
  await writeFile(join(home, names[0] ?? '', 'file'), 'keys');
  await utimes(join(home, names[0] ?? ''), 0, 0);
  await utimes(join(home, names[2] ?? ''), 0, 0);
  await removeAbandonedUploads(new Date(), home);
  assert.deepEqual((await readdir(home)).toSorted(), names.slice(1));
});
