import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { listProfiles } from '#api/contract/profiles.ts';
import { readKillSwitch } from '#api/contract/halts.ts';
import { createClient } from '#test/flow/client.ts';
import { until } from '#test/flow/until.ts';
import { fencedBlocks } from '#test/harness/fenced.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { provideBaseImages } from './base-images.ts';
import { must } from './command.ts';
import { startEngine } from './engine.ts';
import { reasonToSkip } from './provided.ts';
import { checkOut, type ComposeStack, openStack } from './stack.ts';

const resources = new AsyncDisposableStack();
const skip = await reasonToSkip('the live demo in containers', async () => {
  resources.use(await startEngine());
  await provideBaseImages();
});
const options = { skip, timeout: 600_000 };
/** The password holds what an URL would take for something else. */
const SETTINGS = { POSTGRES_PASSWORD: 'pa/55?w#o@rd%', WEB_ORIGIN: 'https://demo.example.com' };
const [seed, reset] = fencedBlocks('docs/operator/live-demo.md');
let folder = '';
let stack: ComposeStack;

before(async () => {
  if (skip !== false) return;
  folder = mkdtempSync(join(tmpdir(), 'tradewind-demo-'));
  resources.defer(() => rmSync(folder, { recursive: true, force: true }));
  await checkOut('HEAD', join(folder, 'tradewind'));
  stack = resources.use(await openStack(join(folder, 'tradewind'), SETTINGS));
});
after(() => resources.disposeAsync(), { timeout: 120_000 });

/** A block of docs/operator/live-demo.md, typed into a checkout of the machine that runs the containers. */
async function follow(block: typeof seed): Promise<string> {
  assert.ok(block !== undefined, 'docs/operator/live-demo.md has a block for the seed and one for the reset');
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    DATABASE_URL: `postgres://tradewind@${await stack.addressOf('postgres')}:5432/tradewind`,
    PGPASSWORD: SETTINGS.POSTGRES_PASSWORD,
    TRADEWIND_URL: stack.url,
  };
  const text = block.text.replaceAll('demo.backup', join(folder, 'demo.backup'));
  return must(['bash', '-euo', 'pipefail', '-c', text], { cwd: ROOT, env });
}

const ready = (): Promise<unknown> =>
  until('everything to be ready', () =>
    fetch(`${stack.url}/api/health/ready`).then(
      (answer) => answer.ok,
      () => false,
    ),
  );

test('a new stack is seeded by the script', options, async () => {
  await stack.compose(['up', '-d', '--build']);
  await ready();
  assert.match(await follow(seed), /Wrote \d+ rows to /);
});

test(
  'with LIVE_DEMO a visitor without a session sees the pages and profiles, but gets no backup',
  options,
  async () => {
    await stack.compose(['up', '-d'], { LIVE_DEMO: '1' });
    await ready();
    const visitor = createClient(`${stack.url}/api`);
    const { profiles } = await visitor.call(listProfiles, {});
    assert.deepEqual(profiles.map(({ name }) => name).toSorted(), ['Crossing averages', 'Dip ladder']);
    assert.equal((await fetch(stack.url)).status, 200);
    assert.equal((await visitor.fetch('/backup')).status, 403);
  },
);

test('the nightly reset restores the snapshot while the demo runs, and it trades again', options, async () => {
  assert.match(await follow(reset), /Restored the backup of /);
  const visitor = createClient(`${stack.url}/api`);
  assert.equal((await visitor.call(readKillSwitch, {})).engaged, false);
  await ready();
});

test('the limits that are delivered answer many changes of one address with 429', options, async () => {
  const limits = join(folder, 'tradewind', 'deploy', 'live-demo', 'limits.conf');
  await stack.compose(['cp', limits, 'nginx:/etc/nginx/conf.d/limits.conf'], { LIVE_DEMO: '1' });
  await stack.compose(['exec', '-T', 'nginx', 'nginx', '-s', 'reload'], { LIVE_DEMO: '1' });
  const change = { method: 'DELETE', headers: { 'x-tradewind-client': '1' } };
  // A reload closes idle connections, also one that a request is about to use.
  const status = async (): Promise<number | undefined> =>
    (await fetch(`${stack.url}/api/no-such-thing`, change).catch(() => undefined))?.status;
  await until('the limits to be in force', async () =>
    (await Promise.all(Array.from({ length: 40 }, status))).includes(429),
  );
});
