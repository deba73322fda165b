import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { createProfile, deleteProfile, listProfiles } from '#api/contract/profiles.ts';
import { readKillSwitch } from '#api/contract/halts.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import { type App, startApp } from '#test/faults/app.ts';
import { createClient } from '#test/flow/client.ts';
import { until } from '#test/flow/until.ts';
import { fencedBlocks } from '#test/harness/fenced.ts';
import { findProgram } from '#test/harness/programs.ts';
import { freePort } from '#test/harness/servers.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { openNginx, withoutNginx } from './nginx.ts';

const run = promisify(execFile);
const withoutCurl = findProgram(['curl']) === undefined ? 'curl is not on this machine' : false;
for (const why of [withoutCurl, withoutNginx])
  if (why !== false) console.log(`﹣ the live demo: ${why}, so a part of it is not tested here`);

const resources = new AsyncDisposableStack();
const [seed, reset] = fencedBlocks('docs/operator/live-demo.md');
let folder = '';
let database: TestDatabase;
let app: App;

const start = (flag: string): Promise<App> =>
  startApp({
    dataDir: join(folder, 'data'),
    args: ['--port', '0'],
    env: { DATABASE_URL: database.url, CACHE_URL: '', LIVE_DEMO: flag },
  });

/** A block of the document in a shell, with the snapshot outside of the checkout. */
async function follow(block: typeof seed): Promise<string> {
  assert.ok(block !== undefined, 'docs/operator/live-demo.md has a block for the seed and one for the reset');
  const env = {
    ...{ PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, HOME: folder },
    ...{ DATABASE_URL: database.url, TRADEWIND_URL: app.url },
  };
  const text = block.text.replaceAll('demo.backup', join(folder, 'demo.backup'));
  const { stdout, stderr } = await run('bash', ['-euo', 'pipefail', '-c', text], { cwd: ROOT, env });
  return stdout + stderr;
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tradewind-demo-'));
  resources.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  chmodSync(folder, 0o711);
  database = resources.use(await openTestDatabase());
  app = await start('');
  resources.defer(() => app[Symbol.asyncDispose]());
});
after(() => resources.disposeAsync());

const visitor = (url: string) => createClient(`${url}/api`);
const names = async (): Promise<string[]> =>
  (await visitor(app.url).call(listProfiles, {})).profiles.map(({ name }) => name).toSorted();

test('the demo is seeded, opened, changed by a visitor, and as it was after the nightly reset', {
  skip: withoutCurl,
}, async () => {
  assert.match(await follow(seed), /Wrote \d+ rows to /);
  await app[Symbol.asyncDispose]();
  app = await start('1');
  assert.deepEqual(await names(), ['Crossing averages', 'Dip ladder'], 'whoever comes sees the profiles of the seed');
  const client = visitor(app.url);
  const [first] = (await client.call(listProfiles, {})).profiles;
  assert.ok(first !== undefined);
  const body = {
    accountId: first.accountId,
    name: 'Mine',
    strategyName: 'hold',
    config: {},
    enabled: false,
    symbols: [],
  };
  await client.call(createProfile, { body });
  // It may have bought by now.
  await client.call(deleteProfile, { params: { id: first.id }, query: { leavePositions: 'true' } });
  await until('the profile is gone', async () => !(await names()).includes(first.name));
  assert.match(await follow(reset), /Restored the backup of /);
  assert.deepEqual(await names(), ['Crossing averages', 'Dip ladder']);
  assert.equal((await client.call(readKillSwitch, {})).engaged, false, 'it trades again');
  await until('the worker goes on', async () => {
    const { rows } = await database.database.pool.query(
      'select 1 from account_leases where expires_at > clock_timestamp()',
    );
    return rows.length > 0;
  });
});

test('one address is limited: a page of many files passes, a flood and many changes are answered 429', {
  skip: withoutNginx,
}, async () => {
  const port = await freePort();
  const apiPorts = [Number(new URL(app.url).port)];
  await openNginx(resources, { port, apiPorts, beside: ['live-demo/limits.conf'] });
  const url = `http://127.0.0.1:${port}`;
  const codes = async (count: number, init?: RequestInit): Promise<number[]> => {
    const path = init === undefined ? '/api/status' : '/api/no-such-thing';
    const found: number[] = [];
    while (found.length < count) {
      const ten = Array.from({ length: Math.min(10, count - found.length) }, async () => fetch(`${url}${path}`, init));
      for (const answer of await Promise.all(ten)) {
        found.push(answer.status);
        await answer.arrayBuffer();
      }
    }
    return found;
  };
  assert.deepEqual([...new Set(await codes(60))], [200], 'the first burst is free');
  assert.ok((await codes(600)).includes(429), 'a flood is not');
  const change = { method: 'DELETE', headers: { 'x-tradewind-client': '1' } };
  const changes = await codes(40, change);
  assert.ok(changes.filter((code) => code === 429).length >= 15, changes.join(' '));
});
