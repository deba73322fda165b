// Access for programs: tokens, and the orders that they propose.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { PHONE, shoot, sidewaysScroll } from './browser.ts';
import { refusedOnce, seriousFindings, settle, type Stack, startStack } from './stack.ts';

const TOKEN = /^tw_[\w-]{49}$/;
let stack: Stack;
let page: Page;
let profileId: string;
let token: string;
const at = (path: string): string => `${stack.app.url}${path}`;

before(async () => {
  stack = await startStack({ speed: 1 });
  ({ page, profileId } = await settle(stack, { strategyName: 'hold', config: {} }));
  page.setDefaultTimeout(60_000);
});
after(() => stack?.[Symbol.asyncDispose]());

const dialog = (): Locator => page.getByRole('dialog');
const region = (name: string | RegExp): Locator => page.getByRole('region', { name });

/** Calls the API as the program does. */
const asProgram = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(at(`/api${path}`), {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });

/** The findings of axe on the open page, wide and at 390 px, and what scrolls sideways there. */
async function problemsOf(name: string): Promise<string[]> {
  await shoot(page, `${name}-dark`);
  const wide = page.viewportSize();
  const found = await seriousFindings(page);
  await page.setViewportSize({ width: 390, height: PHONE.viewport.height });
  const narrow = [...(await seriousFindings(page)), await sidewaysScroll(page)].filter((text) => text !== '');
  await shoot(page, `${name}-phone`);
  if (wide !== null) await page.setViewportSize(wide);
  return [...found, ...narrow].map((text) => `${name}: ${text}`);
}

test('an operator creates a token from the settings, and its text is shown once', async () => {
  await page.goto(at('/settings'));
  await page.getByRole('link', { name: 'Programs and assistants that may use the API' }).click();
  await page.getByRole('heading', { name: 'No program may use the API.' }).waitFor();
  assert.deepEqual(await problemsOf('tokens-none'), []);
  const form = region('New token');
  await form.getByLabel('Name').fill('Notebook');
  await form.getByRole('switch', { name: /^Propose orders/ }).check();
  await form.getByLabel('Budget per order').fill('100');
  await form.getByLabel('Budget in 24 hours').fill('250');
  await form.getByRole('button', { name: 'Create token' }).click();
  const created = region('Token of Notebook');
  token = (await created.locator('pre').textContent()) ?? '';
  assert.match(token, TOKEN);
  assert.equal((await asProgram('/profiles')).status, 200);
  assert.deepEqual(await problemsOf('tokens-created'), []);
  await created.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('heading', { name: '1 token may use the API.' }).waitFor();
  assert.equal((await page.content()).includes(token), false);
  const row = page.getByRole('row', { name: /Notebook/ });
  await row.getByText('Read, propose orders').waitFor();
  await row.getByText('100.00 an order, 250.00 USDT a day').waitFor();
});

test('a refused budget is shown at its field', async () => {
  const form = region('New token');
  await form.getByLabel('Name').fill('Half');
  await form.getByRole('switch', { name: /^Propose orders/ }).check();
  await form.getByLabel('Budget per order').fill('ten');
  await form.getByLabel('Budget in 24 hours').fill('20');
  await form.getByRole('button', { name: 'Create token' }).click();
  await form.locator('.field', { hasText: 'Budget per order' }).getByRole('alert').waitFor();
  refusedOnce(stack, 422);
});

const propose = async (order: Readonly<Record<string, string>>, reason: string): Promise<void> => {
  const path = `/profiles/${profileId}/symbols/BTCUSDT/proposals`;
  const answer = await asProgram(path, { method: 'POST', body: JSON.stringify({ order, reason }) });
  assert.equal(answer.status, 202, await answer.text());
};
const market = (quoteAmount: string) => ({ side: 'buy', type: 'market', quoteAmount });

test('a proposed order is announced in the header, and shown with what it costs and why', async () => {
  await propose(market('60'), 'The dip is over');
  await page.getByRole('link', { name: '1 order waits for your approval' }).click();
  await page.getByRole('heading', { name: '1 order waits for your approval.', level: 1 }).waitFor();
  const proposed = region(/^Buy [\d.]+ BTC for (59|60)\.\d\d USDT$/);
  for (const text of ['“The dip is over”', 'Market buy', 'Worst loss', 'Fee', 'proposed by Notebook'])
    await proposed.getByText(text).waitFor();
  assert.match(await proposed.getByRole('timer').innerText(), /^\d+:\d\d$/);
  assert.deepEqual(await problemsOf('approvals'), []);
});

test('an approval names the exact order in its confirmation, and places it', async () => {
  await page.getByRole('button', { name: /^Approve: Buy [\d.]+ BTC/ }).click();
  const order = /^Buy [\d.]+ BTC for (59|60)\.\d\d USDT$/;
  await dialog()
    .getByText(/proposed by Notebook\. The worker judges it again/)
    .waitFor();
  assert.deepEqual((await seriousFindings(page)).filter(Boolean), []);
  await dialog().getByRole('button', { name: order }).click();
  await page.getByRole('heading', { name: 'No order waits for your approval.' }).waitFor();
  const row = page.getByRole('row', { name: /The dip is over/ });
  await row.getByText('Approved, filled').waitFor();
  await row.getByRole('link', { name: 'Order' }).click();
  await page.getByRole('heading', { name: /^Verified\./, level: 1 }).waitFor();
});

test('a denied order and one that the worker rejects are listed with the reason', async () => {
  await propose(market('60'), 'Once more');
  await propose(market('1'), 'A crumb');
  await page.goto(at('/approvals'));
  await page.getByRole('button', { name: /^Deny: Buy [\d.]+ BTC/ }).click();
  await dialog().getByRole('button', { name: 'Deny this order' }).click();
  await page
    .getByRole('row', { name: /Once more/ })
    .getByText('Denied by you')
    .waitFor();
  const rejected = page.getByRole('row', { name: /A crumb/ });
  await rejected.getByText('Rejected by the worker').waitFor();
  await rejected.getByText(/below the smallest order/).waitFor();
  assert.deepEqual(await problemsOf('approvals-decided'), []);
});

test('a revoked token is refused by the next request', async () => {
  await page.goto(at('/tokens'));
  await page.getByRole('button', { name: 'Revoke Notebook…' }).click();
  await dialog().getByRole('button', { name: 'Revoke Notebook' }).click();
  await page.getByRole('heading', { name: 'No program may use the API.' }).waitFor();
  await page.getByText('1 ended token').waitFor();
  assert.equal((await asProgram('/profiles')).status, 401);
});

test('nothing failed in the pages meanwhile', () => {
  assert.deepEqual(stack.faults, []);
});
