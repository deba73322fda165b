import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import { type App, startApp } from '#test/faults/app.ts';
import { until } from '#test/flow/until.ts';
import { DESKTOP, openBrowser, PHONE, shoot, sidewaysScroll } from './browser.ts';
import { ask, OPERATOR, seriousFindings } from './stack.ts';

/** It takes about a minute; three other tests may use the machine meanwhile. */
const FIRST_TRADE_MS = 370_000;
const PREVIEW_MS = 180_000;
const folder = mkdtempSync(join(tmpdir(), 'tradewind-e2e-'));
// Root runs the server as `nobody`, who must be able to pass: else its files are kept elsewhere and outlive the test.
chmodSync(folder, 0o711);
let app: App;
let browser: Browser;
let page: Page;
const faults: string[] = [];
const stack = new AsyncDisposableStack();

before(async () => {
  // As an operator starts it: nothing but the port and the folder differ.
  app = stack.use(await startApp({ dataDir: join(folder, 'data'), args: ['--port', '0'] }));
  browser = await openBrowser();
  stack.defer(() => browser.close());
  page = await (await browser.newContext({ ...DESKTOP, colorScheme: 'dark' })).newPage();
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
});
after(async () => {
  await stack.disposeAsync();
  rmSync(folder, { recursive: true, force: true });
});

const closedTrades = async (): Promise<number> => {
  const api = `${app.url}/api`;
  const profiles = z
    .object({ profiles: z.array(z.object({ id: z.string() })) })
    .parse(await ask(page, { method: 'GET', url: `${api}/profiles` }));
  const { totals } = z
    .object({ totals: z.object({ count: z.number() }) })
    .parse(await ask(page, { method: 'GET', url: `${api}/profiles/${profiles.profiles[0]?.id}/trade-archive` }));
  return totals.count;
};

test('the first automatic trade closes after the sign-up, with nothing but the wizard', async () => {
  await page.goto(app.url);
  await page.getByLabel('E-mail').fill(OPERATOR.email);
  await page.getByLabel('Password').fill(OPERATOR.password);
  await page.getByRole('button', { name: 'Create your account' }).click();
  await page.getByRole('button', { name: 'Continue to strategy' }).click();
  await page.getByRole('button', { name: 'Active', pressed: true }).waitFor();
  await page.getByRole('button', { name: 'Continue to coins' }).click();
  await page.getByRole('heading', { name: /^5 coins chosen/ }).waitFor();
  await page.getByRole('button', { name: 'Continue to review' }).click();
  await page.getByRole('button', { name: 'Start trading on paper' }).click();
  const feed = page.getByRole('region', { name: 'Activity' });
  await feed
    .getByText(/ after \d+ (s|min)/)
    .first()
    .waitFor({ timeout: FIRST_TRADE_MS });
  assert.ok((await closedTrades()) > 0);
  await shoot(page, 'first-trade-dark');
});

test('the equity curve has its first points within two minutes', async () => {
  await page.getByRole('region', { name: 'Equity vs. buy and hold' }).getByRole('img').waitFor({ timeout: 150_000 });
});

test('the replay of the preset earns more than its fees', async () => {
  await page.goto(`${app.url}/profiles/new`);
  await page.getByRole('button', { name: 'Continue to strategy' }).click();
  await page.getByRole('cell', { name: 'Win rate' }).waitFor({ timeout: PREVIEW_MS });
  await page.getByText(/Loading the candles/).waitFor({ state: 'detached', timeout: PREVIEW_MS });
  await until('the replay of all five coins', async () =>
    /BTCUSDT, ETHUSDT, SOLUSDT, XRPUSDT, DOGEUSDT/.test(await page.locator('main').innerText()),
  );
  assert.match(await page.getByRole('heading', { level: 1 }).innerText(), /would have made\s+\+\d/);
  await shoot(page, 'new-profile-dark');
});

test('a preset fills the fields, and the result follows', async () => {
  // Two presets may earn the same to a tenth of a percent.
  const result = page.getByRole('table').filter({ hasText: 'Max drawdown' });
  const before = await result.innerText();
  await page.getByRole('button', { name: 'Balanced' }).click();
  assert.equal(await page.getByLabel('Trailing stop starts at', { exact: true }).inputValue(), '3');
  await until('another result', async () => (await result.innerText()) !== before);
});

test('fees that eat most of an exit are named, and one click mends it', async () => {
  const exit = page.getByLabel('Take profit', { exact: true });
  await exit.fill('0.3');
  await page.getByText(/Fees eat 67 % of this exit/).waitFor();
  await page.getByRole('button', { name: 'Set it to 0.7 %' }).click();
  assert.equal(await exit.inputValue(), '0.7');
  await page.getByText(/Fees eat/).waitFor({ state: 'detached' });
});

test('the choices survive a reload', async () => {
  await page.getByRole('button', { name: 'Continue to coins' }).click();
  await page.getByRole('checkbox', { name: 'BNB/USDT' }).check();
  await page.reload();
  await page.getByRole('heading', { name: /^6 coins chosen/ }).waitFor();
  await page.getByRole('button', { name: '2 Strategy' }).click();
  assert.equal(await page.getByLabel('Take profit', { exact: true }).inputValue(), '0.7');
});

test('coins are listed with price, change, volume, spread and smallest order, and a wide spread is marked', async () => {
  await page.getByRole('button', { name: 'Continue to coins' }).click();
  const table = page.getByRole('table');
  const first = await table.getByRole('row').nth(1).innerText();
  assert.match(first, /BTC\/USDT\s+[\d,]+\.\d\d\s+[+−]?\d+\.\d\d\s%\s+\d\.\d\d bn USDT\s+0\.0\d\s%\s+5 USDT/);
  await page.getByRole('searchbox', { name: 'Search coin' }).fill('FIL');
  await page.getByText('spread wider than the fee').waitFor();
  await page.getByRole('searchbox', { name: 'Search coin' }).fill('');
});

test('every strategy is offered, and each has its replay', async () => {
  await page.getByRole('button', { name: '2 Strategy' }).click();
  for (const title of ['Momentum', 'Rebalance', 'Buy and hold', 'Trailing trade']) {
    await page.getByRole('radio', { name: new RegExp(`^${title}`) }).check();
    await page.getByRole('heading', { name: new RegExp(`^${title} would`) }).waitFor({ timeout: 60_000 });
  }
});

test('a second profile is made by the same wizard, on a phone in light colours', async () => {
  const { cookies, origins } = await page.context().storageState();
  const context = await browser.newContext({ ...PHONE, colorScheme: 'light', storageState: { cookies, origins } });
  const phone = await context.newPage();
  await phone.goto(`${app.url}/profiles/new`);
  for (const next of ['Continue to coins', 'Continue to review', 'Start trading on paper']) {
    await phone.getByRole('button', { name: next }).waitFor();
    assert.equal(await sidewaysScroll(phone), '');
    assert.deepEqual(await seriousFindings(phone), []);
    await shoot(phone, `new-profile-phone-${next.split(' ').at(-1)}`);
    if (next !== 'Start trading on paper') await phone.getByRole('button', { name: next }).click();
  }
  await context.close();
});

test('nothing failed in the page meanwhile', () => {
  assert.deepEqual(faults, []);
});
