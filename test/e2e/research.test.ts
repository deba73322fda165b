import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { isObject } from '#core/merge.ts';
import { openReceiver, type Receiver } from '#integrations/test-receiver.ts';
import { DESKTOP, PHONE, shoot, sidewaysScroll } from './browser.ts';
import { ask, idOf, refusedOnce, settle, type Stack, startStack } from './stack.ts';

let stack: Stack;
let page: Page;
let receiver: Receiver;
let profileId: string;
let runPath: string;
const at = (path: string): string => `${stack.app.url}${path.replace(':id', profileId)}`;

const stop = (value: string) => [{ path: 'sell.stopLossPercentage', value }];
const reply = (title: string, value: string): string =>
  JSON.stringify({
    summary: `${title} is all.`,
    suggestions: [
      { title, rationale: 'It falls less.', changes: stop(value) },
      { title: 'Beyond all bounds', rationale: 'None.', changes: stop('7') },
    ],
  });

before(async () => {
  // A backtest of the last days ends with the last full one: the market has to have seen some.
  stack = await startStack({ skipDays: 8, others: ['ETHUSDT', 'SOLUSDT'], env: { OUTGOING_PRIVATE: 'allow' } });
  receiver = await openReceiver();
  ({ page, profileId } = await settle(stack));
  page.setDefaultTimeout(60_000);
});
after(async () => {
  await stack?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});

test('what ends now waits until the time of the market is known', async () => {
  const unknown = async (route: Route): Promise<void> => {
    const response = await route.fetch();
    const text = (await response.text()).replaceAll(/"marketAt":"[^"]*"/g, '"marketAt":null');
    await route.fulfill({ response, body: text });
  };
  await page.route(/\/api\/(dashboard|reads)/, unknown);
  await page.goto(at('/profiles/:id/backtests'));
  await page.getByText('No worker has reported the market time yet.').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  await page.getByRole('button', { name: 'Run the backtest of BTCUSDT' }).waitFor();
});

test('a backtest goes from its launch with a change to a result', async () => {
  await page.goto(at('/profiles/:id/backtests'));
  await page.getByLabel('Try a change').selectOption({ label: 'Stop loss' });
  await page.getByLabel('Stop loss', { exact: true }).fill('1.5');
  await page.getByLabel('Period').selectOption({ label: 'the last 7 days' });
  await page.getByLabel('Fee', { exact: true }).fill('lots');
  await page.getByRole('button', { name: 'Run the backtest of BTCUSDT' }).click();
  await page
    .getByRole('alert')
    .getByText(/Fee is not a number/)
    .waitFor();
  refusedOnce(stack, 422);
  await page.getByLabel('Fee', { exact: true }).fill('10');
  await page.getByRole('button', { name: 'Run the backtest of BTCUSDT' }).click();
  await page.getByRole('heading', { name: 'Metrics' }).waitFor({ timeout: 120_000 });
  runPath = new URL(page.url()).pathname;
  await page.getByRole('button', { name: 'Run robustness tests' }).click();
  await page.getByText(/small changes made no difference/).waitFor({ timeout: 180_000 });
  const trust = page.getByRole('region', { name: 'How far to trust it' });
  await trust.getByText('without the later candles it decided the same').waitFor();
  await trust.getByText('too few: at least 30 to say anything').waitFor();
  await shoot(page, 'backtest-run-dark');
});

test('the advisor is asked by hand, drops what it cannot use with the reason, and its proposal goes into the form', async () => {
  await page.goto(at(runPath));
  await page.getByText('Copy prompt for any chatbot', { exact: true }).click();
  const question = page.getByLabel('2. Copy this prompt into the chat');
  await page.getByLabel('1. Goal').selectOption({ label: 'Preserve capital' });
  await page.waitForFunction(
    (box) => box instanceof HTMLTextAreaElement && box.value.includes('keep the capital'),
    await question.elementHandle(),
  );
  await page.getByLabel('3. Paste the whole reply').fill('I would not know.');
  await page.getByRole('button', { name: 'Read the reply' }).click();
  await page
    .getByRole('alert')
    .getByText(/The reply/)
    .waitFor();
  refusedOnce(stack, 422);
  await page.getByLabel('3. Paste the whole reply').fill(`Here you are:\n${reply('A nearer stop', '0.98')}`);
  await page.getByRole('button', { name: 'Read the reply' }).click();
  await page.getByRole('heading', { name: 'A nearer stop' }).waitFor();
  await page.getByText('Beyond all bounds', { exact: true }).waitFor();
  await shoot(page, 'advisor-dark');
  await page.getByRole('link', { name: 'Open in settings: A nearer stop' }).click();
  await page.getByRole('heading', { name: 'Dip ladder trades 1 coin with Trailing trade.' }).waitFor();
  assert.equal(await page.getByLabel('Stop loss', { exact: true }).inputValue(), '2');
  const held: unknown = await ask(page, { method: 'GET', url: at('/api/profiles/:id') });
  assert.match(JSON.stringify(held), /"stopLossPercentage":"0\.97"/, 'nothing is saved by itself');
});

test('a provider is set up, tested and asked; saved answers can be switched between', async () => {
  const text = reply('Answered by a model', '0.975');
  receiver.answer = { status: 200, text: JSON.stringify({ model: 'm', choices: [{ message: { content: text } }] }) };
  await page.goto(at('/settings'));
  await page.getByText('Set up a provider').click();
  await page.getByLabel('Provider', { exact: true }).selectOption({ label: 'another endpoint' });
  await page.getByLabel('Model').fill('m');
  await page.getByLabel('Address').fill(receiver.url);
  await page.getByLabel('Credential').fill('CANARY-endpoint-key-4321');
  await page.getByRole('button', { name: 'Save the provider' }).click();
  await page.getByText('endpoint key, ends in 4321').waitFor();
  await page.getByRole('button', { name: 'Send a test question' }).click();
  await page.getByText('Works.').waitFor();
  assert.doesNotMatch(await page.content(), /CANARY/, 'the credential never comes back');
  await page.goto(at(runPath));
  await page.getByRole('button', { name: 'Small, safe steps' }).first().click();
  await page.getByRole('heading', { name: 'Answered by a model' }).waitFor({ timeout: 120_000 });
  const slots = page.getByRole('group', { name: 'Saved answers' });
  await slots.getByRole('button', { name: 'Pasted reply' }).click();
  await page.getByRole('heading', { name: 'A nearer stop' }).waitFor();
});

test('a sweep ranks its sets, and one of them goes into the form', async () => {
  await page.goto(at('/profiles/:id/sweeps'));
  await page.getByLabel('Trailing stop starts at').fill('0.3, 0.6');
  await page.getByLabel('Trailing stop distance', { exact: true }).fill('0.2..0.5:0.1');
  await page.getByLabel('Period').selectOption({ label: 'the last 7 days' });
  await page.getByRole('button', { name: 'Run 8 settings' }).click();
  await page.getByRole('heading', { name: 'Ranking' }).waitFor({ timeout: 180_000 });
  await page.getByRole('heading', { name: / of 8 (made|closed|settings made) / }).waitFor();
  await page.setViewportSize(PHONE.viewport);
  const cut = await page
    .locator('table.heat td')
    .evaluateAll((cells) => cells.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length);
  assert.equal(cut, 0, 'numbers of the heat map run into each other');
  await page.setViewportSize(DESKTOP.viewport);
  await page.getByRole('link', { name: 'Open in settings: #2' }).click();
  await page.getByRole('heading', { name: 'Dip ladder trades 1 coin with Trailing trade.' }).waitFor();
});

test('the research page lists what ran with its verdict, sorts it, and links to it', async () => {
  await page.goto(at('/research'));
  await page.getByRole('heading', { name: '1 backtest and 1 sweep on record.' }).waitFor();
  const runs = page.getByRole('region', { name: 'Runs' });
  const rows = runs.locator('tbody tr');
  await rows.nth(1).waitFor();
  await runs.getByRole('button', { name: 'Run', exact: true }).click();
  assert.match(await rows.first().innerText(), /^Backtest\s+Dip ladder, BTCUSDT/);
  await runs.getByRole('button', { name: 'Run', exact: true }).click();
  assert.match(await rows.first().innerText(), /^Sweep/);
  await shoot(page, 'research-dark');
  await page.setViewportSize(PHONE.viewport);
  assert.equal(await sidewaysScroll(page), '');
  await shoot(page, 'research-phone');
  await page.setViewportSize(DESKTOP.viewport);
  await runs.getByRole('link', { name: 'Sweep' }).click();
  await page.getByRole('heading', { name: / of 8 (made|closed|settings made) / }).waitFor();
});

test('a deleted backtest is gone', async () => {
  await page.goto(at('/profiles/:id/backtests'));
  await page.getByLabel('Try a change').waitFor();
  await page.getByLabel('Period').selectOption({ label: 'the last 7 days' });
  await page.getByRole('button', { name: 'Run the backtest of BTCUSDT' }).click();
  await page.getByRole('button', { name: 'Delete…' }).click({ timeout: 120_000 });
  await page.getByRole('button', { name: 'Delete the backtest' }).click();
  await page.getByText('Select two or more to compare them.').waitFor();
  await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' });
  assert.equal(await page.locator('tbody tr').count(), 1);
  // The announcement of the deletion may reach its page before the page is left: it reads the run once more.
  while (stack.faults.some((fault) => fault.includes('404'))) refusedOnce(stack, 404);
});

test('a backtest over another period is run again over that of the newest', async () => {
  await page.goto(at('/profiles/:id/backtests'));
  await page.getByLabel('Period').selectOption({ label: 'the last 30 days' });
  await page.getByRole('button', { name: 'Run the backtest of BTCUSDT' }).click();
  await page.getByRole('heading', { name: 'Metrics' }).waitFor({ timeout: 120_000 });
  const ids = [runPath, new URL(page.url()).pathname].map((path) => path.split('/').at(-1));
  await page.goto(`${at('/profiles/:id/compare')}?runs=${ids.join(',')}`);
  await page.getByText('These runs differ in period, candles or balance.').waitFor();
  await page.getByRole('button', { name: 'Common period', pressed: true }).waitFor();
  await page.getByText('Cut to the common period.').waitFor();
  await page.getByRole('img', { name: /^Equity over the period: A [+−\d.]/ }).waitFor();
  await page.getByRole('button', { name: 'Same period: run 1 backtest again over' }).click();
  await page.getByText('These runs differ in period, candles or balance.').waitFor({ state: 'detached' });
  await page.getByRole('rowheader', { name: 'Stop loss', exact: true }).waitFor();
  const unfinished = page.getByText(/waits for a worker|is running/).first();
  await unfinished.waitFor({ state: 'detached', timeout: 120_000 });
  assert.equal(await page.getByRole('group', { name: 'Metrics of BTCUSDT' }).locator('thead th').count(), 3);
  await page.getByRole('button', { name: 'Common period' }).waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Is B better?' }).waitFor();
  await page.getByRole('rowheader', { name: 'Ambiguity band' }).waitFor();
  await shoot(page, 'compare-dark');
  await page.getByRole('button', { name: 'Trades of A' }).click();
  await page.getByRole('region', { name: 'Trades', exact: true }).getByRole('button', { name: 'Export CSV' }).waitFor();
  await page.setViewportSize(PHONE.viewport);
  assert.equal(await sidewaysScroll(page), '');
  await shoot(page, 'compare-phone');
  await page.setViewportSize(DESKTOP.viewport);
});

test('several coins share the balance under the limits, unless each has all of it', async () => {
  const profile: unknown = await ask(page, { method: 'GET', url: at('/api/profiles/:id') });
  const accountId = isObject(profile) ? profile['accountId'] : '';
  const config = {
    candleInterval: '1m',
    buy: { entrySizing: { amount: '600' }, candleLimit: 60, gridLevels: [{ triggerPercentage: '1.005' }] },
    sell: { stopLossPercentage: '0.97', triggerPercentage: '1.006', trailingStopPercentage: '0.997' },
  };
  const two = { accountId, name: 'Two coins', strategyName: 'trailing-trade', symbols: ['ETHUSDT', 'SOLUSDT'], config };
  const made: unknown = await ask(page, { method: 'POST', url: at('/api/profiles'), data: two });
  const id = idOf(isObject(made) ? made['profile'] : undefined);
  const here = (path: string): string => at(path).replace(profileId, id);
  await ask(page, { method: 'PATCH', url: here('/api/profiles/:id/risk'), data: { openPositions: 1 } });
  await page.goto(here('/profiles/:id/backtests'));
  const shared = page.getByRole('radio', { name: /^All coins share the balance, under the limits \(as live\)/ });
  assert.equal(await shared.isChecked(), true);
  await page.getByLabel('Period').selectOption({ label: 'the last 7 days' });
  await shoot(page, 'backtest-form-shared');
  await page.getByRole('button', { name: 'Run the backtest of 2 coins' }).click();
  await page.getByRole('heading', { name: /^All coins together made/ }).waitFor({ timeout: 120_000 });
  await page.getByText('all coins, one balance, under the limits').waitFor();
  const parts = page.locator('section', { hasText: 'one balance for all of them' });
  for (const head of ['Fills', 'Trades', 'Net P&L, USDT']) await parts.getByText(head, { exact: true }).waitFor();
  await shoot(page, 'backtest-run-shared');
  await page.setViewportSize(PHONE.viewport);
  assert.equal(await sidewaysScroll(page), '');
  await shoot(page, 'backtest-run-shared-phone');
  await page.goto(here('/profiles/:id/backtests'));
  await shared.waitFor();
  assert.equal(await sidewaysScroll(page), '');
  await shoot(page, 'backtest-form-shared-phone');
  await page.setViewportSize(DESKTOP.viewport);

  await page.goto(here('/profiles/:id/backtests'));
  await page.getByText('; all coins, one balance, under the limits').waitFor();
  await page.getByRole('radio', { name: /^Each coin has the whole balance/ }).check();
  await page.getByLabel('Period').selectOption({ label: 'the last 7 days' });
  await page.getByRole('button', { name: 'Run the backtest of 2 coins' }).click();
  await page.getByText('Each coin had the whole balance, and no limits').waitFor({ timeout: 120_000 });
  await page.goto(here('/profiles/:id/live-checks'));
  await page.getByRole('heading', { name: 'All coins, one balance' }).waitFor();
  await shoot(page, 'live-checks-shared');

  await page.goto(here('/profiles/:id/backtests'));
  await page.getByRole('radio', { name: /^All profiles of the account/ }).check();
  await page.getByLabel('Period').selectOption({ label: 'the last 7 days' });
  await page.getByRole('button', { name: 'Run the backtest of 2 coins' }).click();
  await page.getByText('all profiles of the account, one balance, under the limits').waitFor();
  await page.locator('td', { hasText: 'BTCUSDT' }).first().waitFor({ timeout: 120_000 });
});

test('a live demo shows saved answers and asks nothing', async () => {
  await page.close();
  await stack.restart({ LIVE_DEMO: '1' });
  const stranger = await stack.open({ ...DESKTOP, colorScheme: 'dark' });
  await stranger.goto(at(runPath));
  const slots = stranger.getByRole('group', { name: 'Saved answers' });
  await slots.waitFor();
  const asked: string[] = [];
  stranger.on('request', (request) => void (request.url().includes('/advisor') && asked.push(request.url())));
  await slots.getByRole('button', { name: 'Pasted reply' }).click();
  await stranger.getByRole('heading', { name: 'A nearer stop' }).waitFor();
  assert.deepEqual(asked, [], 'switching asks for nothing');
  assert.equal(await stranger.getByText('Copy prompt for any chatbot', { exact: true }).count(), 0);
  assert.equal(await stranger.getByText('No AI provider is set up.').count(), 0);
  await stranger.goto(at('/settings'));
  await stranger.getByRole('heading', { name: 'System health' }).waitFor();
  assert.equal(await stranger.getByRole('heading', { name: 'AI provider' }).count(), 0);
});

test('nothing failed in the pages meanwhile', () => {
  assert.deepEqual(stack.faults, []);
});
