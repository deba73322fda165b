import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import pg from 'pg';
import { startEmbeddedPostgres } from './launch.ts';
import { isAlive } from './process-birth.ts';

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

test('begins again where creating the cluster was cut short', async () => {
  mkdirSync(join(dataDir, 'cluster.draft'), { recursive: true });
  writeFileSync(join(dataDir, 'cluster.draft', 'PG_VERSION'), '18\n');
  await using postgres = await startEmbeddedPostgres({ dataDir });
  assert.equal(await query(postgres.url, 'select 1'), 1);
});

test('reports an end that nobody asked for, and starts again after it', async () => {
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

test('as root, a folder that nobody can enter keeps its database elsewhere and says where', async (t) => {
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
