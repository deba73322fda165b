// The page before the service has answered: the shell on a slow link, and the installed app without a network.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { DESKTOP, shoot } from './browser.ts';
import { settle, type Stack, startStack } from './stack.ts';

let stack: Stack;
let page: Page;

before(async () => {
  stack = await startStack();
  const { page: signedIn } = await settle(stack);
  page = await stack.open({ ...DESKTOP, serviceWorkers: 'allow', colorScheme: 'dark' });
  page.setDefaultTimeout(60_000);
  await page.context().addCookies((await signedIn.context().storageState()).cookies);
});
after(() => stack?.[Symbol.asyncDispose]());

test('the page has its frame before any script has run', async () => {
  const bare = await stack.open({ ...DESKTOP, javaScriptEnabled: false });
  await bare.goto(stack.app.url);
  assert.match(await bare.locator('header.top').innerText(), /Tradewind/);
  assert.ok(await bare.locator('main .sk').first().isVisible());
  await shoot(bare, 'shell-dark');
  await bare.context().close();
});

test('without a network the app opens, says that it is offline, and goes on when the network is back', async () => {
  await page.goto(stack.app.url);
  await page.getByRole('heading', { level: 1, name: /equity/ }).waitFor();
  await page.evaluate(async () => {
    const worker = (await navigator.serviceWorker.ready).active;
    if (worker?.state !== 'activated')
      await new Promise((resolve) => worker?.addEventListener('statechange', resolve, { once: true }));
  });
  await page.context().setOffline(true);
  await page.reload();
  await page.getByRole('heading', { level: 1, name: /^Offline\./ }).waitFor();
  await shoot(page, 'offline-dark');
  await page.context().setOffline(false);
  await page.getByRole('heading', { level: 1, name: /equity/ }).waitFor();
});

test('the service worker keeps no answer of the API', async () => {
  const kept = await page.evaluate(async () => {
    const names = await caches.keys();
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return requests.flat().map(({ url }) => new URL(url).pathname);
  });
  assert.ok(kept.includes('/'));
  assert.deepEqual(
    kept.filter((path) => path.startsWith('/api')),
    [],
  );
});
