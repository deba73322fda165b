import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { type App, startApp } from '#test/faults/app.ts';
import { MARKET_START, writeSwingingCandles } from '#test/flow/candles.ts';
import { DESKTOP, openBrowser, PHONE, shoot, sidewaysScroll } from './browser.ts';

/** The market runs 600 times as fast as the clock: a swing takes 18 seconds. */
const TRADE_MS = 90_000;
const folder = mkdtempSync(join(tmpdir(), 'tradewind-e2e-'));
// Root runs the server as `nobody`, who must be able to pass: else its files are kept elsewhere and outlive the test.
chmodSync(folder, 0o711);
let app: App;
let browser: Browser;
let page: Page;
const faults: string[] = [];

before(async () => {
  writeSwingingCandles(folder, 60 * 24 * 30);
  const from = new Date(MARKET_START + 6 * 3_600_000).toISOString();
  const args = ['--port', '0', '--replay', folder, '--from', from, '--speed', '600'];
  app = await startApp({ dataDir: join(folder, 'data'), args });
  browser = await openBrowser();
  page = await (await browser.newContext({ ...DESKTOP, colorScheme: 'dark' })).newPage();
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
});
after(async () => {
  await browser?.close();
  await app?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

test('a stranger creates the operator and a first profile', async () => {
  await page.goto(app.url);
  await page.getByLabel('E-mail').fill('operator@example.org');
  await page.getByLabel('Password').fill('a long enough password');
  await page.getByRole('button', { name: 'Create your account' }).click();
  await page.getByRole('button', { name: 'Continue to strategy' }).click();
  await page.getByRole('button', { name: 'Active' }).click();
  await shoot(page, 'welcome-dark');
  await page.getByRole('button', { name: 'Continue to coins' }).click();
  await page.getByRole('button', { name: 'Continue to review' }).click();
  await page.getByRole('button', { name: 'Start trading on paper' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
});

test('a buy and a sell appear without a reload', async () => {
  await page.evaluate(() => Reflect.set(window, 'neverReloaded', true));
  const feed = page.getByRole('region', { name: 'Activity' });
  await feed
    .getByText(/Bought [\d.]+ BTC/)
    .first()
    .waitFor({ timeout: TRADE_MS });
  // Only the newest trade is opened.
  await feed
    .getByText(/Sold [\d.]+ BTC/)
    .first()
    .waitFor({ state: 'attached', timeout: TRADE_MS });
  assert.equal(await page.evaluate(() => Reflect.get(window, 'neverReloaded')), true);
  await shoot(page, 'dashboard-dark');
});

test('the coin page shows chart, position and decisions', async () => {
  await page.getByRole('link', { name: /^BTC/ }).first().click();
  await page.locator('canvas').first().waitFor();
  const timeline = page.getByRole('slider', { name: 'Decision timeline' });
  await timeline.focus();
  await page.keyboard.press('Home');
  assert.equal(await timeline.getAttribute('aria-valuenow'), '0');
  await page.keyboard.press('Shift+ArrowRight');
  assert.notEqual(await timeline.getAttribute('aria-valuenow'), '0');
  await shoot(page, 'coin-dark');
});

test("the average entry price is set under the advanced options of the coin's log, and next to a coin to add", async () => {
  await page.getByRole('navigation', { name: 'About this coin' }).getByRole('link', { name: 'Logs' }).click();
  await page.getByText('Advanced options').click();
  await page.getByLabel('Average entry price').fill('30000');
  await shoot(page, 'entry-price-dark');
  await page.getByRole('button', { name: 'Save price' }).click();
  await page.getByText('Saved, and the worker has applied it.').waitFor();
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').last().click();
  await page.getByLabel('Average entry price').waitFor();
  await shoot(page, 'add-coin-dark');
});

test('the kill switch stops buying and can be released', async () => {
  await page.getByRole('link', { name: 'Overview' }).first().click();
  await page.getByRole('button', { name: 'Stop buying' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Stop buying on/ })
    .click();
  await page.getByRole('heading', { name: /Buying is stopped since/ }).waitFor();
  await shoot(page, 'stopped-dark');
  await page.getByRole('button', { name: 'Allow buying again…' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Allow buying on/ })
    .click();
  await page.getByRole('button', { name: 'Stop buying' }).waitFor();
});

test('a limit is refused by name and then kept, a coin is paused and resumed', async () => {
  await page.getByRole('link', { name: /^BTC/ }).first().click();
  await page.getByRole('button', { name: 'Pause buying' }).click();
  await page.getByText(/No buys until/).waitFor();
  await shoot(page, 'paused-dark');
  await page.getByRole('button', { name: 'Resume buying' }).click();
  await page.getByRole('button', { name: 'Pause buying' }).waitFor();
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').nth(1).click();
  await page.getByRole('link', { name: 'Limits' }).click();
  await page.getByLabel('Exposure').fill('much');
  await page.getByRole('button', { name: 'Save limits of this profile' }).click();
  await page.getByText('Saving waits for: Exposure.').waitFor();
  // The browser reports every refused request; this one is expected.
  assert.match(faults.pop() ?? '', /422/);
  await page.getByRole('button', { name: 'Normal: 2 %' }).click();
  assert.match(await page.getByLabel('Loss today').inputValue(), /^(19|20)\d(\.\d+)?$/);
  await page.getByLabel('Exposure').fill('400');
  await page.getByRole('button', { name: 'Save limits of this profile' }).click();
  await page.getByText(/[\d.,]+ USDT of 400\.00 USDT used/).waitFor();
  await shoot(page, 'risk-dark');
});

test('light, and a phone, without scrolling sideways', async () => {
  const { cookies } = await page.context().storageState();
  const looks = [
    ['light', { ...DESKTOP, colorScheme: 'light' }],
    ['phone', { ...PHONE, colorScheme: 'dark' }],
  ] as const;
  for (const [name, options] of looks) {
    const context = await browser.newContext(options);
    await context.addCookies(cookies);
    const other = await context.newPage();
    for (const [screen, path] of [
      ['dashboard', '/'],
      ['profiles', '/profiles'],
      ['settings', '/settings'],
    ] as const) {
      await other.goto(`${app.url}${path}`);
      await other.getByRole('heading', { level: 1 }).waitFor();
      assert.equal(await sidewaysScroll(other), '', `${screen} scrolls sideways on ${name}`);
      await shoot(other, `${screen}-${name}`);
    }
    await other.goto(app.url);
    await other.getByRole('link', { name: /^BTC/ }).first().click();
    await other.locator('canvas').first().waitFor();
    assert.equal(await sidewaysScroll(other), '', `the coin page scrolls sideways on ${name}`);
    await shoot(other, `coin-${name}`);
    await context.close();
  }
});

test('nothing failed in the page meanwhile', () => {
  assert.deepEqual(faults, []);
});
