import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readPerformance } from '#api/contract/performance.ts';
import type { Page } from 'playwright-core';
import { shoot, sidewaysScroll } from './browser.ts';
import { type HistoryStage, openHistoryStage } from './history-stage.ts';
import { seriousFindings } from './stack.ts';

let stage: HistoryStage;
before(async () => {
  stage = await openHistoryStage(Number(process.env['HISTORY_DAYS'] ?? 120));
});
after(() => stage?.[Symbol.asyncDispose]());

async function openPage(width: number, colorScheme: 'dark' | 'light', path = '/performance'): Promise<Page> {
  const phone = width < 720 ? { isMobile: true, hasTouch: true } : {};
  const page = await stage.open({ viewport: { width, height: 900 }, colorScheme, ...phone });
  await page.goto(`${stage.api.url}${path}`);
  await page.locator('.figs').waitFor();
  return page;
}

for (const [width, colorScheme] of [
  [1440, 'dark'],
  [1440, 'light'],
  [390, 'dark'],
  [390, 'light'],
  [360, 'dark'],
] as const) {
  test(`Performance fits ${width} pixels in ${colorScheme}, and can be used by everyone`, async () => {
    const page = await openPage(width, colorScheme);
    await shoot(page, `performance-${width}-${colorScheme}`);
    assert.equal(await sidewaysScroll(page), '');
    assert.deepEqual(await seriousFindings(page), []);
    await page.context().close();
  });
}

const resultOf = (page: Page): Promise<string> => page.locator('.figs > div').first().innerText();

test('a day of the calendar opens its trades, and the address keeps it', async () => {
  const page = await openPage(1440, 'dark');
  const answer = await stage.api.call(readPerformance, { params: { id: stage.accountId }, query: {} });
  const busiest = answer.days.findLast(({ realised }) => realised !== '0')?.day ?? '';
  const [, , date = ''] = busiest.split('-');
  if (!busiest.startsWith(answer.months.at(-1)?.month ?? '?'))
    await page.getByRole('button', { name: 'Previous month' }).click();
  await page.getByRole('button', { name: new RegExp(`^${Number(date)} [+−].* show its trades$`) }).click();
  const trades = page.getByRole('region', { name: new RegExp(`^${Number(date)} `) });
  await trades.getByRole('row').nth(1).waitFor();
  assert.match(await trades.innerText(), /Net P&L .*realised/);
  assert.match(page.url(), new RegExp(`day=${busiest}`));
  await shoot(page, 'performance-day-1440-dark');
  assert.deepEqual(await seriousFindings(page), []);
  await page.reload();
  await trades.waitFor();
  await trades.getByRole('button', { name: 'Close' }).click();
  await trades.waitFor({ state: 'detached' });
  assert.doesNotMatch(page.url(), /day=/);
  await page.context().close();
});

test('in the days of a period arrow keys move, and Enter opens the trades', async () => {
  const page = await openPage(1440, 'dark');
  const days = page.getByRole('group', { name: /^P&L per day/ });
  const last = days.locator('button[tabindex="0"]');
  await last.focus();
  const before = await page.evaluate(() => document.activeElement?.getAttribute('data-day'));
  await page.keyboard.press('ArrowLeft');
  const week = await page.evaluate(() => document.activeElement?.getAttribute('data-day'));
  assert.equal(Date.parse(before ?? '') - Date.parse(week ?? ''), 7 * 86_400_000);
  assert.match(
    (await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))) ?? '',
    /: [+−]?[\d.,]+ /,
  );
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`day=${week}`));
  await page.context().close();
});

test('the period and the profile are in the address, and change every number', async () => {
  const page = await openPage(1440, 'dark');
  const whole = await resultOf(page);
  await page.getByRole('button', { name: '1M' }).click();
  await page.waitForURL(/period=1m/);
  await page.locator('[aria-busy="false"] .figs').waitFor();
  const month = await resultOf(page);
  assert.notEqual(month, whole);
  await page.getByLabel('Profile', { exact: true }).selectOption({ label: 'Trend' });
  await page.waitForURL(/profile=/);
  await page.locator('[aria-busy="false"] .figs').waitFor();
  assert.notEqual(await resultOf(page), month);
  const filtered = await resultOf(page);
  await page.reload();
  await page.locator('.figs').waitFor();
  assert.equal(await resultOf(page), filtered);
  assert.equal(await page.getByRole('region', { name: 'By profile' }).locator('tbody tr').count(), 1);
  await page.context().close();
});

test('a custom period of one day shows no ratio, and its file holds that day', async () => {
  const page = await openPage(1440, 'dark');
  await page.getByRole('button', { name: 'Custom' }).click();
  const last = await page.getByLabel('Last day').inputValue();
  await page.getByLabel('First day').fill(last);
  await page.waitForURL(new RegExp(`from=${last}`));
  await page.locator('[aria-busy="false"] .figs').waitFor();
  assert.equal(await page.locator('.figs').getByText('not shown').count(), 3);
  const file = await page.request.get(
    new URL((await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href')) ?? '', page.url()).href,
  );
  const lines = (await file.text()).trim().split('\r\n');
  assert.equal(lines.length, 2);
  assert.match(lines[1] ?? '', new RegExp(`^"${last}"`));
  await page.context().close();
});

test('every plot can be read as a table, with the same numbers', async () => {
  const page = await openPage(390, 'light', '/performance?period=1m');
  const tables = page.getByText('Show as table');
  assert.equal(await tables.count(), 4);
  for (const table of await tables.all()) await table.click();
  const { points } = await stage.api.call(readPerformance, {
    params: { id: stage.accountId },
    query: { period: '1m' },
  });
  const rows = page.getByRole('table', { name: 'Equity and drawdown' }).locator('tbody tr');
  assert.equal(await rows.count(), points.length);
  await shoot(page, 'performance-tables-390-light');
  assert.equal(await sidewaysScroll(page), '');
  assert.deepEqual(await seriousFindings(page), []);
  await page.context().close();
});

test('the tax report has a file for each profile and year', async () => {
  const page = await openPage(1440, 'dark');
  await page.getByRole('button', { name: 'Tax report…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Tax report' });
  await dialog.getByLabel('Method').selectOption({ label: 'Average cost' });
  const href = await dialog.getByRole('link', { name: /^Dip ladder, \d{4}/ }).getAttribute('href');
  const file = await page.request.get(new URL(href ?? '', page.url()).href);
  assert.match(await file.text(), /^"symbol","acquiredAt","disposedAt"[^]*USDT/);
  assert.deepEqual(await seriousFindings(page), []);
  await page.context().close();
});

test('an account without a trade says so', async () => {
  const page = await stage.open({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${stage.api.url}/performance?account=${stage.emptyAccountId}`);
  await page.getByRole('heading', { level: 1, name: 'Nothing was traded yet.' }).waitFor();
  assert.deepEqual(await seriousFindings(page), []);
  await page.context().close();
});

test('g and f open the page', async () => {
  const page = await stage.open({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${stage.api.url}/profiles`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await page.waitForURL(/\/performance$/);
  await page.context().close();
});

test('nothing failed in the pages meanwhile', () => {
  assert.deepEqual(stage.faults, []);
});
