// From an empty folder to a profile that trades by its own file, as a new operator does it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { isObject } from '#core/merge.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { until } from '#test/flow/until.ts';
import { DESKTOP, shoot, sidewaysScroll } from './browser.ts';
import { ask, seriousFindings, settle, type Stack, startStack } from './stack.ts';

const run = promisify(execFile);
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } as const;
/** Commands of the guide in docs/your-strategy.md. */
const tradewind = async (...args: string[]): Promise<string> =>
  (await run(process.execPath, ['cli/tradewind.js', ...args], { cwd: ROOT })).stdout;

/** The rules of a new file, and rules that trade. */
const WAITS = "  entry: [{ wait: 'only-watching', say: 'This strategy never trades; the last close is {close}.' }],";
const BUYS =
  "  entry: [{ buy: 'dip', when: ({ close, open }) => close < open, say: 'Buying at {close}.' }], target: ({ entryPrice }) => entryPrice * 1.002,";

let stack: Stack;
let page: Page;
let profileId = '';
let path = '';

/** Changes lines of the file; each of them has to be there. */
function edit(...changes: readonly (readonly [from: string, to: string])[]): void {
  const text = readFileSync(path, 'utf8');
  for (const [from] of changes) assert.ok(text.includes(from), from);
  writeFileSync(
    path,
    changes.reduce((changed, [from, to]) => changed.replace(from, to), text),
  );
}

before(async () => {
  stack = await startStack({ speed: 120, others: ['ETHUSDT'] });
  path = join(stack.dataDir, 'strategies', 'dip.ts');
});
after(() => stack?.[Symbol.asyncDispose]());

test('a file is created, edited, checked, backtested and swept by commands', { timeout: 180_000 }, async () => {
  await tradewind('strategy', 'new', 'dip', '--data-dir', stack.dataDir);
  edit(["  interval: '1h',", "  interval: '1m',"], [WAITS, BUYS]);
  const checked: unknown = JSON.parse(
    await tradewind('strategy', 'check', path, '--json', '--data-dir', stack.dataDir),
  );
  assert.ok(isObject(checked) && checked['passed'] === true, JSON.stringify(checked));
  const market = ['--candles', join(dirname(stack.dataDir), 'BTCUSDT-1m.csv'), '--strategy', path];
  const tested: unknown = JSON.parse(await tradewind('backtest', ...market, '--json'));
  assert.match(JSON.stringify(tested), new RegExp(`dip@${String(checked['hash'])}`));
  const knobs = ['--knobs', 'lossCooldownMinutes=0..60:30'];
  const swept: unknown = JSON.parse(await tradewind('sweep', ...market, ...knobs, '--json'));
  assert.equal(isObject(swept) && Array.isArray(swept['rows']) ? swept['rows'].length : 0, 3);
});

test('the file appears with its check, its source and its result', { timeout: 240_000 }, async () => {
  ({ page } = await settle(stack));
  await page.goto(`${stack.app.url}/strategies`);
  await page.getByText('1 of 1 strategy file passed the check.').waitFor();
  await page.getByRole('button', { name: 'Check Dip' }).click();
  await page.getByText('Checking').waitFor();
  await page.getByText('Checked', { exact: true }).waitFor({ timeout: 90_000 });
  await lookAt('strategies');
  await page.getByRole('link', { name: /^[0-9a-f]{8}$/ }).click();
  await page.getByText('no look-ahead').waitFor();
  await page.getByText('export default defineStrategy({').waitFor();
  const preview = page.getByRole('region', { name: 'The last 90 days' });
  await preview.getByRole('button', { name: /^Preview / }).click();
  await preview.getByRole('row', { name: /^Fees paid .*\d USDT$/ }).waitFor({ timeout: 90_000 });
  await lookAt('strategy-version');
});

test('the steps of a new profile with the file preview it on a coin and lead to its start', {
  timeout: 180_000,
}, async () => {
  await page.goto(`${stack.app.url}/profiles/new`);
  await page.getByRole('button', { name: 'Continue to strategy' }).click();
  await page.getByRole('radio', { name: /^Dip/ }).check();
  await page.getByRole('heading', { level: 1, name: /is a strategy file: preview it on one coin/ }).waitFor();
  const preview = page.getByRole('region', { name: 'The last 90 days' });
  await preview.getByLabel('Coin of the preview').selectOption('ETHUSDT');
  await preview.getByRole('button', { name: 'Preview ETHUSDT' }).click();
  await preview.getByRole('row', { name: /^Fees paid .*\d USDT$/ }).waitFor({ timeout: 90_000 });
  await lookAt('wizard-strategy-file');
  await page.getByRole('button', { name: 'Continue to coins' }).click();
  await page.getByRole('button', { name: 'Continue to review' }).click();
  await page.getByRole('button', { name: 'Start trading on paper' }).waitFor();
});

test('a profile trades by the file on the paper exchange', { timeout: 180_000 }, async () => {
  const strategyName = await referenceOfFile();
  const data = {
    ...{ accountId: await accountId(), name: 'Own', strategyName, enabled: true, symbols: ['ETHUSDT'] },
    config: { entrySizing: { mode: 'fixed', amount: '100' } },
  };
  const made = await ask(page, { method: 'POST', url: `${stack.app.url}/api/profiles`, data });
  assert.ok(isObject(made) && isObject(made['profile']));
  profileId = String(made['profile']['id']);
  await page.goto(`${stack.app.url}/profiles/${profileId}`);
  await page
    .getByText(/Bought [\d.]+ ETH/)
    .first()
    .waitFor({ timeout: 120_000 });
});

test('a changed file is offered with the lines and the results that differ', { timeout: 240_000 }, async () => {
  const indicators = 'indicators: () => ({ rsi: rsi(5) }),';
  edit(['{ defineStrategy }', '{ defineStrategy, rsi }'], ["'1m',", `'1m',\n  ${indicators}`], ['* 1.002', '* 1.004']);
  const offer = page.getByRole('region', { name: 'New version of the strategy' });
  await page.goto(`${stack.app.url}/profiles/${profileId}`);
  await offer.waitFor({ timeout: 60_000 });
  await lookAt('new-version');
  await offer.getByRole('link', { name: 'Changed lines' }).click();
  await page.getByRole('region', { name: 'Changed lines' }).getByText(indicators).waitFor();
  await lookAt('changed-lines');
  await page.goto(`${stack.app.url}/profiles/${profileId}`);
  await offer.getByRole('button', { name: 'Compare 90 days' }).click();
  await page.getByRole('heading', { level: 1, name: /^[AB] made .* %, [AB] .* %\.$/ }).waitFor({ timeout: 90_000 });
  await page.getByRole('row', { name: /^Strategy dip@\w{8} dip@\w{8}$/ }).waitFor();
  await lookAt('versions-compared');
  await page.goto(`${stack.app.url}/profiles/${profileId}`);
  await offer.getByRole('button', { name: /^Use version/ }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Use version/ })
    .click();
  await offer.waitFor({ state: 'detached' });
});

test('the chart draws the RSI in a pane of its own', { timeout: 120_000 }, async () => {
  await page.goto(`${stack.app.url}/profiles/${profileId}/coins/ETHUSDT`);
  await page.locator('.ro', { hasText: /rsi \d/ }).waitFor({ timeout: 60_000 });
  const panes = await page.locator('.chart').evaluate((chart) => getComputedStyle(chart).getPropertyValue('--panes'));
  assert.equal(panes, '1');
  await lookAt('chart-with-rsi');
  await page.goto(`${stack.app.url}/profiles/${profileId}/config`);
  await page.getByRole('region', { name: 'What if' }).getByRole('link', { name: 'run a backtest' }).waitFor();
  await lookAt('settings-of-file');
});

test('nothing failed in the pages meanwhile', () => {
  assert.deepEqual(stack.faults, []);
});

/** A picture of the page in the width of a desktop and of a phone, where it must fit. */
async function lookAt(name: string): Promise<void> {
  await shoot(page, `${name}-1440`);
  await page.setViewportSize(PHONE.viewport);
  assert.equal(await sidewaysScroll(page), '', name);
  assert.deepEqual(await seriousFindings(page), [], name);
  await shoot(page, `${name}-390`);
  await page.setViewportSize(DESKTOP.viewport);
}

async function listOf(path: string, name: string): Promise<readonly Record<string, unknown>[]> {
  const answer = await ask(page, { method: 'GET', url: `${stack.app.url}/api${path}` });
  const list: readonly unknown[] = isObject(answer) && Array.isArray(answer[name]) ? answer[name] : [];
  return list.filter(isObject);
}

const accountId = async (): Promise<string> => String((await listOf('/accounts', 'accounts'))[0]?.['id']);

async function referenceOfFile(): Promise<string> {
  let found = '';
  await until('the file to be offered', async () => {
    const names = (await listOf('/strategies', 'strategies')).map((strategy) => String(strategy['name']));
    found = names.find((name) => name.startsWith('dip@')) ?? '';
    return found !== '';
  });
  return found;
}
