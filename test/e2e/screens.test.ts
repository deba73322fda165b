import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { isObject } from '#core/merge.ts';
import { DESKTOP, PHONE, shoot, sidewaysScroll } from './browser.ts';
import { finishResearch, type Research } from './research-runs.ts';
import { ask, idOf, seriousFindings, settle, type Stack, startStack } from './stack.ts';

const LOOKS = [
  ['dark', { ...DESKTOP, colorScheme: 'dark' }],
  ['light', { ...DESKTOP, colorScheme: 'light' }],
  ['phone', { ...PHONE, colorScheme: 'dark' }],
] as const;

/** Every screen of a signed-in operator, and what has to be there before it is looked at. */
const SCREENS = [
  ['overview', '/', 'table tbody tr'],
  ['profiles', '/profiles', 'table tbody tr'],
  ['profile', '/profiles/:id', 'table tbody tr'],
  ['config', '/profiles/:id/config', 'form fieldset, form .field'],
  ['config-coin', '/profiles/:id/config?coin=BTCUSDT', 'form .field'],
  ['limits', '/profiles/:id/risk', 'details summary'],
  ['logs', '/profiles/:id/logs', '.feed li'],
  ['history', '/profiles/:id/history', '.sec'],
  ['performance', '/performance', '.figs'],
  ['changes', '/changes', '.feed li'],
  ['coin', '/profiles/:id/coins/BTCUSDT', 'canvas'],
  ['coin-logs', '/profiles/:id/coins/BTCUSDT?tab=logs', '.feed li'],
  ['activity', '/activity', '.sec'],
  ['research', '/research', '.actions a'],
  ['more', '/more', '.block li'],
  ['not-found', '/nowhere', 'h1'],
  ['orphans', '/orphans', '.sec'],
  ['backtests', '/profiles/:id/backtests', 'table tbody tr'],
  ['backtest', '/profiles/:id/backtests/:run', '.figs'],
  ['compare', '/profiles/:id/compare?runs=:run,:otherRun', 'table tbody tr'],
  ['sweeps', '/profiles/:id/sweeps', 'table tbody tr'],
  ['sweep', '/profiles/:id/sweeps/:sweep', '.figs'],
  ['quick-look', '/profiles/:id/quick-look', '.figs'],
  ['live-checks', '/profiles/:id/live-checks', '.dl, .sec p'],
  ['find-coins', '/profiles/:id/discovery', 'table tbody tr'],
  ['diagnosis', '/profiles/:id/diagnosis', '.block li'],
  ['diagnosis-coin', '/profiles/:id/diagnosis?coin=BTCUSDT', '.block li'],
  ['manage', '/profiles/:id/manage', '.sec form'],
  ['order', '/orders/:order', '.chain'],
  ['notifications', '/profiles/:id/notifications', 'details summary'],
  ['dead-letters', '/dead-letters', 'table tbody tr'],
  ['settings', '/settings', '.block li'],
] as const;

let stack: Stack;
let signedIn: Page;
let profileId: string;
let research: Research;
let orderId: string;

before(async () => {
  stack = await startStack();
  ({ page: signedIn, profileId } = await settle(stack));
  await signedIn.goto(stack.app.url);
  const feed = signedIn.getByRole('region', { name: 'Activity' });
  await feed
    .getByText(/Bought [\d.]+ BTC/)
    .first()
    .waitFor({ timeout: 120_000 });
  research = await finishResearch(stack, signedIn, profileId);
  const told = await ask(signedIn, { method: 'GET', url: `${stack.app.url}/api/dashboard` });
  const [order]: readonly unknown[] = isObject(told) && Array.isArray(told['orders']) ? told['orders'] : [];
  orderId = idOf(order);
});
after(() => stack?.[Symbol.asyncDispose]());

const addressOf = (path: string): string =>
  Object.entries({ id: profileId, order: orderId, ...research }).reduce(
    (made, [name, id]) => made.replace(`:${name}`, id),
    path,
  );

for (const [look, options] of LOOKS) {
  test(`every screen can be used, and fits, in ${look}`, async () => {
    const page = await stack.open(options);
    await page.context().addCookies((await signedIn.context().storageState()).cookies);
    const wrong: string[] = [];
    for (const [name, path, ready] of SCREENS) {
      await page.goto(`${stack.app.url}${addressOf(path)}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator(ready).first().waitFor();
      const sideways = await sidewaysScroll(page);
      if (sideways !== '') wrong.push(`${name} scrolls sideways by ${sideways}`);
      wrong.push(...(await seriousFindings(page)).map((finding) => `${name}: ${finding}`));
      await shoot(page, `${name}-${look}`);
    }
    await page.context().close();
    assert.deepEqual(wrong, []);
  });
}

test('nothing failed in the pages meanwhile', () => {
  assert.deepEqual(stack.faults, []);
});
