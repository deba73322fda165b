// The overview: its figures, limits, coins and trades, and what it shows before the first trade.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { DESKTOP, PHONE, shoot, sidewaysScroll } from './browser.ts';
import { ask, seriousFindings, settle, type Stack, startStack } from './stack.ts';

let stack: Stack;
let page: Page;
let accountId: string;

before(async () => {
  stack = await startStack({ others: ['ETHUSDT'], skipDays: 2 });
  ({ page, accountId } = await settle(stack, { symbols: ['BTCUSDT', 'ETHUSDT'] }));
  page.setDefaultTimeout(60_000);
});
after(() => stack?.[Symbol.asyncDispose]());

const region = (name: string) => page.getByRole('region', { name, exact: true });
const figure = (label: string) => page.locator('.figs > div').filter({ hasText: label });

test('the first minutes name what comes next', async () => {
  await page.goto(stack.app.url);
  await page.getByRole('heading', { level: 1, name: /^Total equity/ }).waitFor();
  await region('Limits').getByText('No limits set.').waitFor();
  await region('Next steps').getByRole('link', { name: 'Set up a notification' }).waitFor();
  await shoot(page, 'overview-first-dark');
});

test('a trade shows its result and opens to its orders', async () => {
  const trades = region('Activity');
  await trades
    .getByText(/after \d/)
    .first()
    .waitFor({ timeout: 120_000 });
  await trades
    .locator('summary')
    .filter({ hasText: /after \d/ })
    .first()
    .click();
  await trades
    .getByText(/^Sold [\d.]+ (BTC|ETH) at [\d,.]+: /)
    .first()
    .waitFor();
});

test('each coin has its change and course of the last 24 hours', async () => {
  const coins = region('Positions and coins');
  await coins
    .getByText(/%\s*24 h/)
    .first()
    .waitFor();
  assert.equal(await coins.locator('.spark path').count(), 2);
});

test('the figures say P&L today in money and percent, and the equity of the verdict', async () => {
  await figure('P&L today')
    .getByText(/^[+−]?[\d.]+\s%, realised [+−]?[\d,.]+$/)
    .waitFor();
  for (const label of ['Unrealised P&L', 'Available', 'Exposure', 'If every stop is hit', 'Max drawdown'])
    assert.equal(await figure(label).count(), 1, label);
});

test('the curve can be narrowed to a day', async () => {
  const curve = region('Equity vs. buy and hold');
  await curve.getByRole('button', { name: '1D' }).click();
  assert.equal(await curve.getByRole('button', { name: '1D' }).getAttribute('aria-pressed'), 'true');
});

test('limits show how much of them is used, with care from 80 %', async () => {
  const risk = `${stack.app.url}/api/accounts/${accountId}/risk`;
  await ask(page, { method: 'PATCH', url: risk, data: { asset: 'USDT', openPositions: 1, exposure: '5000' } });
  await page.goto(stack.app.url);
  await region('Limits').getByRole('meter', { name: 'Exposure' }).waitFor();
  assert.equal(await region('Limits').getByRole('meter').count(), 2);
});

test('the overview can be used, and fits, in both themes and on a phone', async () => {
  const { cookies } = await page.context().storageState();
  const looks = [
    ['dark', { ...DESKTOP, colorScheme: 'dark' }],
    ['light', { ...DESKTOP, colorScheme: 'light' }],
    ['phone-dark', { ...PHONE, viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
    ['phone-light', { ...PHONE, viewport: { width: 390, height: 844 }, colorScheme: 'light' }],
  ] as const;
  for (const [name, options] of looks) {
    const other = await stack.open(options);
    other.setDefaultTimeout(60_000);
    await other.context().addCookies(cookies);
    await other.goto(stack.app.url);
    await other
      .getByText(/%\s*24 h/)
      .first()
      .waitFor();
    assert.equal(await sidewaysScroll(other), '', `the overview scrolls sideways in ${name}`);
    assert.deepEqual(await seriousFindings(other), [], name);
    await shoot(other, `overview-${name}`);
    await other.context().close();
  }
});

test('stopped buying is in the verdict, the blockers and the next actions', async () => {
  await ask(page, { method: 'PUT', url: `${stack.app.url}/api/kill-switch`, data: { engaged: true } });
  await page.getByRole('heading', { level: 1, name: /^Buying is stopped since/ }).waitFor();
  await region('Blockers')
    .getByText(/Buying is stopped on all accounts/)
    .waitFor();
  await region('Positions and coins').getByText('Buying is stopped').first().waitFor();
  await shoot(page, 'overview-killed-dark');
});

test('nothing failed in the pages meanwhile', () => {
  assert.deepEqual(stack.faults, []);
});
