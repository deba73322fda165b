import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import pg from 'pg';
import { startEmbeddedPostgres } from './launch.ts';
import { isAlive } from './process-birth.ts';

const UNPRIVILEGED_UID = 65_534;
let folder: string;
let dataDir: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tradewind-postgres-'));
  chmodSync(folder, 0o711);
  dataDir = join(folder, 'postgres');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function query(url: string, text: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text, rowMode: 'array' })).rows[0]?.[0];
  } finally {
    await client.end();
  }
}

/** Several statements at once. */
async function execute(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

const launcher = JSON.stringify(join(import.meta.dirname, 'launch.ts'));
const startAndHang = `import { startEmbeddedPostgres } from ${launcher};
const postgres = await startEmbeddedPostgres({ dataDir: process.argv[1] });
process.stdout.write(JSON.stringify({ pid: postgres.pid }));
setInterval(() => undefined, 1000);`;

/** A process that starts the server and is killed while it runs. */
async function startInKilledProcess(): Promise<number> {
  const owner = spawn(process.execPath, ['--input-type=module-typescript', '-e', startAndHang, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { pid } = JSON.parse(String((await once(owner.stdout, 'data'))[0]));
  const gone = once(owner, 'exit');
  owner.kill('SIGKILL');
  await gone;
  assert(typeof pid === 'number' && isAlive(pid));
  return pid;
}

test('starts with checksums, keeps data, port and password from start to start, and stops', async () => {
  const first = await startEmbeddedPostgres({ dataDir });
  assert.equal(await query(first.url, 'show data_checksums'), 'on');
  assert.equal(await query(first.url, 'show max_connections'), '100');
  assert.equal(await query(first.url, 'show listen_addresses'), '127.0.0.1');
  await query(first.url, 'create table kept as select 42 as answer');
  await first.stop();
  assert(!isAlive(first.pid));

  await using second = await startEmbeddedPostgres({ dataDir });
  assert.equal(second.url, first.url);
  assert.equal(await query(second.url, 'select answer from kept'), 42);
  assert.equal(statSync(join(dataDir, 'password')).mode & 0o077, 0, 'only its owner reads the password');
  await assert.rejects(startEmbeddedPostgres({ dataDir }), new RegExp(`in use by process ${process.pid}`));
});

test('takes another port when something listens on its own', async () => {
  const first = await startEmbeddedPostgres({ dataDir });
  await first.stop();
  const squatter = createServer().listen(Number(new URL(first.url).port), '127.0.0.1');
  await once(squatter, 'listening');
  try {
    await using second = await startEmbeddedPostgres({ dataDir });
    assert.notEqual(new URL(second.url).port, new URL(first.url).port);
    assert.equal(await query(second.url, 'select 1'), 1);
  } finally {
    squatter.close();
  }
});

test('restarts an interrupted creation of the cluster', async () => {
  mkdirSync(join(dataDir, 'cluster.draft'), { recursive: true });
  writeFileSync(join(dataDir, 'cluster.draft', 'PG_VERSION'), '18\n');
  await using postgres = await startEmbeddedPostgres({ dataDir });
  assert.equal(await query(postgres.url, 'select 1'), 1);
});

test('reports an unexpected end, and starts again after it', async () => {
  const first = await startEmbeddedPostgres({ dataDir });
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals | null>();
  first.onExit(({ signal }) => resolve(signal));
  process.kill(first.pid, 'SIGKILL');
  assert.equal(await promise, 'SIGKILL');
  await using second = await startEmbeddedPostgres({ dataDir });
  assert.equal(await query(second.url, 'select 1'), 1);
});

test('replaces the server that a killed owner left behind', async () => {
  const orphan = await startInKilledProcess();
  await using postgres = await startEmbeddedPostgres({ dataDir });
  assert(!isAlive(orphan));
  assert.equal(await query(postgres.url, 'select 1'), 1);
});

test('a pid file that names another living process does not keep the server from starting', async () => {
  const first = await startEmbeddedPostgres({ dataDir });
  process.kill(first.pid, 'SIGKILL');
  await first.stop();
  const pidFile = join(dataDir, 'cluster', 'postmaster.pid');
  writeFileSync(pidFile, readFileSync(pidFile, 'utf8').replace(String(first.pid), String(process.pid)));
  await using second = await startEmbeddedPostgres({ dataDir });
  assert.equal(await query(second.url, 'select 1'), 1);
});

test('a lost password is a sentence, not an empty database', async () => {
  await (await startEmbeddedPostgres({ dataDir })).stop();
  rmSync(join(dataDir, 'password'));
  await assert.rejects(startEmbeddedPostgres({ dataDir }), /password is missing/);
  assert(existsSync(join(dataDir, 'cluster')));
});

test('as root, a folder that the database user cannot enter names the place of its database', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root runs the server as another user');
  chmodSync(folder, 0o700);
  await (await startEmbeddedPostgres({ dataDir })).stop();
  const home = readFileSync(join(dataDir, 'database-is-in.txt'), 'utf8').split('\n')[0] ?? '';
  assert(existsSync(join(home, 'cluster', 'PG_VERSION')));
  await using again = await startEmbeddedPostgres({ dataDir });
  assert.equal(await query(again.url, 'select 1'), 1);
  await again.stop();
  rmSync(home, { recursive: true });
  await assert.rejects(startEmbeddedPostgres({ dataDir }), /does not exist: restore it/);
});

test('the role of the service owns its database and is no superuser', async () => {
  await using postgres = await startEmbeddedPostgres({ dataDir });
  assert.equal(
    await query(
      postgres.url,
      `select rolsuper or rolcreaterole or rolcreatedb from pg_roles where rolname = current_user`,
    ),
    false,
  );
  await assert.rejects(query(postgres.url, `copy (select 1) to program 'true'`), /permission denied/);
  await assert.rejects(query(postgres.url, `select pg_read_file('pg_hba.conf')`), /permission denied/);
  await execute(postgres.url, 'create schema other; create table other.thing (n serial)');
  assert.equal(statSync(join(dataDir, 'service-password')).mode & 0o077, 0);
  assert.notEqual(
    readFileSync(join(dataDir, 'service-password'), 'utf8'),
    readFileSync(join(dataDir, 'password'), 'utf8'),
  );
});

test('what an earlier version left to the superuser becomes the role of the service', async () => {
  const first = await startEmbeddedPostgres({ dataDir });
  const admin = new URL(first.adminUrl);
  admin.pathname = '/tradewind';
  await execute(
    admin.href,
    `create table kept (n serial primary key, at timestamptz default now());
    create sequence numbers; create view seen as select n from kept; create type mood as enum ('good');
    create function one() returns int language sql as 'select 1'; insert into kept default values`,
  );
  await assert.rejects(query(first.url, 'select n from kept'), /permission denied/);
  await first.stop();
  await using second = await startEmbeddedPostgres({ dataDir });
  assert.equal(await query(second.url, 'select n from kept'), 1);
  await execute(
    second.url,
    'drop function one(); drop view seen; drop sequence numbers; drop table kept; drop type mood',
  );
});

/** The users of the server and of everything in its folder. */
const usersOf = (pid: number, cluster: string): number[] => [
  ...new Set([
    statSync(`/proc/${pid}`).uid,
    ...readdirSync(cluster, { recursive: true, encoding: 'utf8' }).map((name) => lstatSync(join(cluster, name)).uid),
  ]),
];
const onlyRoot = process.getuid?.() === 0 ? false : 'only root runs the server as another user';

test('as root, the server runs as a user that nothing else is', { skip: onlyRoot }, async () => {
  await using postgres = await startEmbeddedPostgres({ dataDir });
  const [uid, ...more] = usersOf(postgres.pid, postgres.folder);
  assert.deepEqual(more, [], 'all files are its own');
  assert.ok(uid !== undefined && uid >= 60_578 && uid <= 61_183, `the server runs as ${uid}`);
  assert.ok(!readFileSync('/etc/passwd', 'utf8').includes(`:${uid}:`));
  assert.equal(statSync(postgres.folder).mode & 0o777, 0o700);
});

test('as root, a database of the shared user "nobody" gets its own user and keeps its data', {
  skip: onlyRoot,
}, async () => {
  const first = await startEmbeddedPostgres({ dataDir });
  await query(first.url, 'create table kept as select 42 as answer');
  await first.stop();
  const cluster = join(dataDir, 'cluster');
  const toNobody = (name: string) => lchownSync(join(cluster, name), UNPRIVILEGED_UID, UNPRIVILEGED_UID);
  for (const name of ['.', ...readdirSync(cluster, { recursive: true, encoding: 'utf8' })]) toNobody(name);
  const outside = join(folder, 'of-root');
  writeFileSync(outside, '');
  for (const plant of [
    () => symlinkSync(outside, join(cluster, 'planted')),
    () => linkSync(outside, join(cluster, 'planted')),
    () => symlinkSync(folder, join(cluster, 'planted')),
  ]) {
    plant();
    await assert.rejects(startEmbeddedPostgres({ dataDir }), /planted is a link, or belongs to another user/);
    rmSync(join(cluster, 'planted'));
  }
  assert.deepEqual([statSync(outside).uid, statSync(folder).uid], [0, 0], 'nothing outside has another owner');
  await using second = await startEmbeddedPostgres({ dataDir });
  assert.equal(await query(second.url, 'select answer from kept'), 42);
  const users = usersOf(second.pid, second.folder);
  assert.equal(users.length, 1);
  assert.ok(!users.includes(UNPRIVILEGED_UID));
});
