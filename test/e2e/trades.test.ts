import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { isObject } from '#core/merge.ts';
import { MARKET_START } from '#test/flow/candles.ts';
import { until } from '#test/flow/until.ts';
import { PHONE, sidewaysScroll } from './browser.ts';
import { ask, seriousFindings, settle, type Stack, startStack } from './stack.ts';

const HOUR_MS = 3_600_000;
let stack: Stack;
let page: Page;
let address: string;

/** A finished backtest over a day with some swings: a trade each. */
async function runBacktest(profileId: string): Promise<string> {
  const at = `${stack.app.url}/api/profiles/${profileId}/backtests`;
  const [from, to] = [MARKET_START, MARKET_START + 24 * HOUR_MS].map((ms) => new Date(ms).toISOString());
  const made = await ask(page, { method: 'POST', url: at, data: { from, to, detailInterval: '1m' } });
  const runId = isObject(made) ? String(made['runId']) : '';
  await until(
    'the backtest to finish',
    async () => {
      const run = await ask(page, { method: 'GET', url: `${at}/${runId}` });
      return (isObject(run) && run['state'] === 'done') || undefined;
    },
    120_000,
  );
  return `/profiles/${profileId}/backtests/${runId}`;
}

before(async () => {
  stack = await startStack({ skipDays: 2 });
  const settled = await settle(stack);
  page = settled.page;
  address = `${stack.app.url}${await runBacktest(settled.profileId)}`;
});
after(() => stack?.[Symbol.asyncDispose]());

async function openTrades(): Promise<void> {
  await page.goto(address);
  await page.getByRole('heading', { name: 'Candles and trades' }).waitFor();
  await page.locator('.ro').getByText('Vol').waitFor();
}
const rows = () => page.locator('table.picks tbody tr');
const resultOf = async (row: number): Promise<number> => {
  const text = (await rows().nth(row).locator('td').last().innerText()).split('\n')[0] ?? '';
  return Number(text.replace('\u2212', '-'));
};

test('trades sort by each column, and a second click turns the order', async () => {
  await openTrades();
  const head = page.getByRole('columnheader', { name: /Net P&L/ }).first();
  const sort = head.getByRole('button');
  await sort.click();
  assert.equal(await head.getAttribute('aria-sort'), 'descending');
  assert.ok((await resultOf(0)) >= (await resultOf(1)));
  await sort.click();
  assert.equal(await head.getAttribute('aria-sort'), 'ascending');
  assert.ok((await resultOf(0)) <= (await resultOf(1)));
});

test('arrow keys step from trade to trade, and the chart follows', async () => {
  await openTrades();
  const chosen = page.locator('tr.selrow button');
  const first = await chosen.innerText();
  const axis = page.getByRole('slider', { name: /candles/ });
  await axis.press('Home');
  await rows().first().getByRole('button').focus();
  await page.keyboard.press('ArrowDown');
  assert.equal(Number(await chosen.innerText()), Number(first) - 1);
  await page.keyboard.press('ArrowUp');
  assert.equal(await chosen.innerText(), first);
});

test('a click anywhere in a row chooses its trade', async () => {
  await openTrades();
  // The button of the row lies over its cells.
  await rows().nth(2).locator('td').nth(3).click({ force: true });
  assert.equal(await rows().nth(2).getAttribute('class'), 'selrow');
});

test('the export has a line for each trade', async () => {
  await openTrades();
  const wanted = /(\d+) trades/.exec(await page.getByText(/\d+ trades, from first buy/).innerText())?.[1];
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  const text = readFileSync(await download.path(), 'utf8');
  assert.equal(text.trimEnd().split('\r\n').length, Number(wanted) + 1);
  assert.match(download.suggestedFilename(), /^trades-BTCUSDT-2024-01-01-2024-01-02\.csv$/);
});

test('exit reasons are named after the level that sold', async () => {
  await openTrades();
  const reasons = page.getByRole('region', { name: 'By exit reason' });
  await reasons.getByRole('cell', { name: 'Stop loss' }).waitFor();
});

test('the report fits a phone and has no serious finding of accessibility', async () => {
  await openTrades();
  assert.deepEqual(await seriousFindings(page), []);
  const phone = await stack.open({ ...PHONE, colorScheme: 'light' });
  await phone.context().addCookies((await page.context().storageState()).cookies);
  await phone.goto(address);
  await phone.locator('.ro').getByText('Vol').waitFor();
  assert.equal(await sidewaysScroll(phone), '');
  await phone.context().close();
  assert.deepEqual(stack.faults, []);
});
