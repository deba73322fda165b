// The pages while something is wrong: a hung service, a cut network, a dead worker, stopped buying.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { CDPSession, Page } from 'playwright-core';
import { shoot } from './browser.ts';
import { ask, settle, type Stack, startStack } from './stack.ts';

let stack: Stack;
let page: Page;
let network: CDPSession;
let profileId: string;

before(async () => {
  stack = await startStack();
  ({ page, profileId } = await settle(stack));
  page.setDefaultTimeout(60_000);
  network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
});
after(() => stack?.[Symbol.asyncDispose]());

const FAST = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
const setOffline = (offline: boolean): Promise<unknown> =>
  network.send('Network.emulateNetworkConditions', { offline, ...FAST });
function signalPart(part: 'api' | 'worker', signal: 'SIGSTOP' | 'SIGCONT'): void {
  const pid = stack.app.pidOf(part);
  assert.ok(pid !== undefined, `the ${part} runs`);
  process.kill(pid, signal);
}

/** The service and the network come back also after a test that failed. */
afterEach(async () => {
  signalPart('api', 'SIGCONT');
  signalPart('worker', 'SIGCONT');
  await setOffline(false);
});

/** The live overview, with a position or a planned buy. */
async function openOverview(): Promise<void> {
  await page.goto(stack.app.url);
  await page.getByText(/Live, price/).waitFor();
  await page.getByRole('heading', { level: 1, name: /^Total equity/ }).waitFor();
}

async function showsLoss(): Promise<void> {
  await page.getByRole('heading', { level: 1, name: /^Live updates stopped .* ago\. Last known equity/ }).waitFor();
  const health = page.getByRole('group', { name: 'Health' });
  await health.getByText(/Live updates lost .* ago/).waitFor();
  await health.getByText(/Worker: not known since/).waitFor();
  const coin = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'BTC', exact: true }) });
  await coin.getByText(/\d s old$/).waitFor();
  await coin.getByText(/Last known:/).waitFor();
  await page.getByRole('region', { name: 'Blockers' }).getByText('Not known.').waitFor();
}

async function showsRecovery(): Promise<void> {
  await page.getByText(/Live, price/).waitFor();
  await page.getByRole('heading', { level: 1, name: /^Total equity/ }).waitFor();
  assert.equal(await page.getByText('Last known:').count(), 0);
}

test('a service that hangs makes verdict, header, prices and blockers old, and is live again when it answers', async () => {
  await openOverview();
  signalPart('api', 'SIGSTOP');
  await showsLoss();
  await shoot(page, 'stale-hung-dark');
  signalPart('api', 'SIGCONT');
  await showsRecovery();
});

test('a cut network makes verdict, header, prices and blockers old, and is live again when it is back', async () => {
  await openOverview();
  await setOffline(true);
  await showsLoss();
  await page.getByRole('alert').getByText('Offline.').waitFor();
  await shoot(page, 'stale-offline-dark');
  await setOffline(false);
  await showsRecovery();
});

test('gains have no colour and nothing can be ordered while prices are old', async () => {
  await page.goto(`${stack.app.url}/profiles/${profileId}/coins/BTCUSDT`);
  await page.getByLabel('Spend').fill('40');
  const buy = page.getByRole('button', { name: /^Buy [\d.]+ BTC for/ });
  await page.getByText(/Live, price/).waitFor();
  assert.ok(await buy.isEnabled());
  signalPart('api', 'SIGSTOP');
  const ticket = page.getByRole('region', { name: 'Order ticket' });
  await ticket.getByText('No orders while prices are old.').waitFor();
  assert.ok(await buy.isDisabled());
  const inked = await page.evaluate(() => {
    const gain = document.createElement('span');
    gain.className = 'gain';
    const ink = document.createElement('span');
    ink.style.color = 'var(--color-ink-3)';
    document.querySelector('#main')?.append(gain, ink);
    return getComputedStyle(gain).color === getComputedStyle(ink).color;
  });
  assert.ok(inked, 'a gain is still coloured');
});

const blockers = () => page.getByRole('region', { name: 'Blockers' });

test('a coin that is paused and a stopped kill switch are blockers', async () => {
  const api = `${stack.app.url}/api`;
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const pause = `${api}/profiles/${profileId}/symbols/BTCUSDT/pause`;
  await ask(page, { method: 'POST', url: pause, data: { until } });
  await openOverview();
  await blockers()
    .getByText(/BTC is paused until/)
    .waitFor();
  await ask(page, { method: 'PUT', url: `${api}/kill-switch`, data: { engaged: true } });
  await blockers()
    .getByText(/Buying is stopped on all accounts since/)
    .waitFor();
  await blockers().getByText('Behind it, still true').click();
  await blockers()
    .getByText(/BTC is paused until/)
    .waitFor();
  await shoot(page, 'blockers-stopped-dark');
  await ask(page, { method: 'PUT', url: `${api}/kill-switch`, data: { engaged: false } });
  await ask(page, { method: 'POST', url: pause.replace(/pause$/, 'resume') });
  await blockers()
    .getByText(/Buying is stopped/)
    .waitFor({ state: 'hidden' });
});

test('a replay shows market time, also of what happened at the time of the wall', async () => {
  await openOverview();
  await page.getByText('Replay at 600x').waitFor();
  await ask(page, { method: 'PUT', url: `${stack.app.url}/api/kill-switch`, data: { engaged: true } });
  await page.getByRole('heading', { level: 1, name: /^Buying is stopped since/ }).waitFor();
  const year = String(new Date().getFullYear());
  for (const part of [page.getByRole('banner'), page.getByRole('heading', { level: 1 }), blockers()])
    assert.ok(!(await part.innerText()).includes(year), 'the overview shows a time of the wall');
  await ask(page, { method: 'PUT', url: `${stack.app.url}/api/kill-switch`, data: { engaged: false } });
  const order = page
    .getByRole('region', { name: /orders/i })
    .getByRole('link', { name: /^(Buy|Sell|Stop|Trailing stop)/ });
  await order.first().click();
  await page.getByText('Approved and recorded').waitFor();
  assert.equal(await page.getByText(year).count(), 0, 'the order proof shows a time of the wall');
});

test('a worker that is down is the verdict and the first blocker', async () => {
  await openOverview();
  signalPart('worker', 'SIGSTOP');
  await page.getByRole('heading', { level: 1, name: /^The worker is down/ }).waitFor();
  await blockers()
    .getByText(/The worker is down/)
    .waitFor();
  await shoot(page, 'blockers-worker-dark');
  signalPart('worker', 'SIGCONT');
  await page.getByRole('heading', { level: 1, name: /^Total equity/ }).waitFor();
});
