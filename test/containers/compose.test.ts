import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setKillSwitch } from '#api/contract/halts.ts';
import { until } from '#test/flow/until.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { olderCommit } from '#test/start/older-commit.ts';
import { provideBaseImages } from './base-images.ts';
import { blockOf } from './block.ts';
import { startEngine } from './engine.ts';
import { fills, type Operator, order, signInAt, signUpAt, untilServed } from './operator.ts';
import { reasonToSkip } from './provided.ts';
import { checkOut, type ComposeStack, openOrdersAt, openStack, ordersAt, priceAt } from './stack.ts';
import { watchDuring } from './watch.ts';

const SERVICES = ['postgres', 'valkey', 'paper', 'api', 'worker', 'nginx'];
const RESTING = ['SELL STOP_LOSS_LIMIT', 'BUY LIMIT'];
/** How often to upgrade; a number that is given is a measurement, which also judges the time without the page. */
const MEASURED = process.env['UPGRADES'];
const UPGRADES = Number(MEASURED ?? 2);
const LONGEST_BAD_GATEWAY_MS = 5000;
const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

const resources = new AsyncDisposableStack();
const skip = await reasonToSkip('the Compose file', async () => {
  resources.use(await startEngine());
  await provideBaseImages();
});
const options = { skip, timeout: 900_000 };
const now = git('rev-parse', 'HEAD');
let checkout = '';
let older = '';
let stack: ComposeStack;
let operator: Operator;
const exchange = (): Promise<string> => stack.addressOf('paper');

before(async () => {
  if (skip !== false) return;
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-compose-'));
  resources.defer(() => rmSync(folder, { recursive: true, force: true }));
  checkout = join(folder, 'tradewind');
  stack = resources.use(await openStack(checkout));
});
after(() => resources.disposeAsync(), { timeout: 120_000 });

async function restingKinds(): Promise<string[]> {
  const open = (await openOrdersAt(await exchange())) ?? [];
  return open.map(({ side, type }) => `${side} ${type}`).toSorted();
}

test(
  'the version before builds its image from the unmodified Dockerfile and comes up with docker compose',
  options,
  async () => {
    older = olderCommit() ?? now;
    if (older === now)
      console.log('﹣ the upgrade: the history of this checkout is cut off, so it starts from the same version');
    await checkOut(older, checkout);
    await stack.type(blockOf('docs/operator/deploy.md', /deploy\/\.env/), older);
    await untilServed(stack.url, older);
  },
);

test('the operator signs up through nginx and buys on the paper exchange; a stop rests at once', options, async () => {
  operator = await signUpAt(stack.url);
  await order(operator, { side: 'buy', quoteAmount: '200' });
  await until('the purchase to be recorded', async () => (await fills(operator)) > 0);
  await until('a stop to rest', async () => (await restingKinds()).includes('SELL STOP_LOSS_LIMIT'));
  const price = await priceAt(await exchange());
  await order(operator, { side: 'buy', quoteAmount: '50', price: String(Math.round(price * 0.9)) });
  assert.deepEqual(await restingKinds(), RESTING.toSorted());
});

test('the upgrade keeps the stop and the open order on the exchange all the time, and loses or doubles no order', {
  skip,
  timeout: Math.max(options.timeout, UPGRADES * 300_000),
}, async () => {
  const before = await ordersAt(await exchange());
  for (let i = 0; i < UPGRADES; i++) {
    // Another revision is another image.
    const sha = i === 0 ? now : `${now.slice(0, 36)}${String(i).padStart(4, '0')}`;
    const proxy = readFileSync(join(checkout, 'deploy/nginx.conf'), 'utf8');
    await checkOut(now, checkout);
    if (readFileSync(join(checkout, 'deploy/nginx.conf'), 'utf8') !== proxy) await stack.compose(['restart', 'nginx']);
    const watched = await watchDuring(
      async () => {
        await stack.type(blockOf('docs/operator/upgrade.md', /before-upgrade/), sha);
        await untilServed(stack.url, sha);
      },
      { url: stack.url, exchange, resting: RESTING },
    );
    const { answers, longestGapMs, longestBadGatewayMs, lists } = watched;
    console.log(
      `upgrade ${i + 1}: ${answers} answers, ${Math.round(longestGapMs)} ms without the page, ` +
        `${Math.round(longestBadGatewayMs)} ms of 502; ${lists} lists of orders read at the exchange`,
    );
    if (MEASURED !== undefined) assert.ok(longestBadGatewayMs <= LONGEST_BAD_GATEWAY_MS);
    assert.ok(watched.lists > 0);
    assert.deepEqual(watched.incomplete, []);
  }
  assert.equal(await ordersAt(await exchange()), before);
  assert.deepEqual(await restingKinds(), RESTING.toSorted());
});

for (const service of SERVICES)
  test(`after a restart of ${service} alone the service answers and trades again`, options, async () => {
    const before = await fills(operator);
    await stack.compose(['restart', '--timeout', '10', service]);
    await until('everything to be ready', async () => {
      const ready = await fetch(`${stack.url}/api/health/ready`).catch(() => undefined);
      return ready?.ok === true;
    });
    // One that was placed while the exchange was away is refused.
    await until('a purchase', () =>
      order(operator, { side: 'buy', quoteAmount: '20' }).then(
        () => true,
        () => false,
      ),
    );
    await until('the purchase to be recorded', async () => (await fills(operator)) > before);
    await until('the stop to rest', async () => (await restingKinds()).includes('SELL STOP_LOSS_LIMIT'));
  });

test(
  'a backup is restored by the commands of the documents, and what was traded since is booked again',
  options,
  async () => {
    await stack.compose(['run', '--rm', 'api', 'backup', '--to', '/data/kept.backup']);
    const kept = await fills(operator);
    await order(operator, { side: 'buy', quoteAmount: '20' });
    await until('a purchase after the backup', async () => (await fills(operator)) > kept);
    const orders = await ordersAt(await exchange());
    await stack.compose(['run', '--rm', 'api', 'restore', '--from', '/data/kept.backup']);
    await signInAt(operator);
    await until('the later purchase to be read back from the exchange', async () => (await fills(operator)) > kept);
    await operator.call(setKillSwitch, { body: { engaged: false } });
    assert.ok((await ordersAt(await exchange())) >= orders);
    await until('the stop to rest', async () => (await restingKinds()).includes('SELL STOP_LOSS_LIMIT'));
  },
);
