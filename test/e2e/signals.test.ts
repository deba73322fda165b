// Signals of other programs through the inlets of a profile, and the settings of the Telegram chat.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { TelegramServer } from '#test/api/telegram.ts';
import { until } from '#test/flow/until.ts';
import { PHONE, shoot, sidewaysScroll } from './browser.ts';
import { refusedOnce, seriousFindings, settle, type Stack, startStack } from './stack.ts';

let stack: Stack;
let telegram: TelegramServer;
let page: Page;
let profileId: string;
let address: string;
let message: string;
const at = (path: string): string => `${stack.app.url}${path}`;

before(async () => {
  telegram = await TelegramServer.open();
  stack = await startStack({ speed: 1, env: { OUTGOING_PRIVATE: 'allow' } });
  ({ page, profileId } = await settle(stack, { name: 'My alerts', strategyName: 'signal', config: {} }));
  page.setDefaultTimeout(60_000);
});
after(async () => {
  await stack?.[Symbol.asyncDispose]();
  await telegram?.[Symbol.asyncDispose]();
});

const dialog = (): Locator => page.getByRole('dialog');
const region = (name: string | RegExp): Locator => page.getByRole('region', { name });

/** Both themes, wide and at 390 px: pictures, the findings of axe, and what scrolls sideways. */
async function problemsOf(name: string): Promise<string[]> {
  const wide = page.viewportSize();
  const found: string[] = [];
  for (const theme of ['dark', 'light'] as const) {
    const other = page.getByRole('button', { name: `Switch to the ${theme} theme` });
    if (await other.isVisible()) await other.click();
    await shoot(page, `${name}-${theme}`);
    found.push(...(await seriousFindings(page)));
    await page.setViewportSize({ width: 390, height: PHONE.viewport.height });
    found.push(...(await seriousFindings(page)), await sidewaysScroll(page));
    await shoot(page, `${name}-phone-${theme}`);
    if (wide !== null) await page.setViewportSize(wide);
  }
  await page.getByRole('button', { name: 'Switch to the dark theme' }).click();
  return found.filter((text) => text !== '').map((text) => `${name}: ${text}`);
}

/** Sends the message of the page as the chart service does, with its placeholders filled in. */
async function send(change: (body: string) => string = (body) => body): Promise<number> {
  const filled = message
    .replace('{{exchange}}', 'PAPER')
    .replace('{{ticker}}', 'BTCUSDT')
    .replace('{{timenow}}', new Date().toISOString());
  // A service that is busy asks to send it again: the body is the same, so that it counts once.
  return until('the inlet to answer', async () => {
    const answer = await fetch(address, { method: 'POST', body: change(filled) });
    await answer.text();
    return answer.status === 503 ? undefined : answer.status;
  });
}

test('an operator creates an inlet, and its address and message are shown once', async () => {
  await page.goto(at(`/profiles/${profileId}`));
  await page.getByRole('navigation', { name: 'Pages of this profile' }).getByRole('link', { name: 'Signals' }).click();
  await page.getByRole('heading', { name: 'No program can send signals.' }).waitFor();
  assert.deepEqual(await problemsOf('signals-none'), []);
  const form = region('New inlet');
  await form.getByLabel('Name').fill('Chart service');
  await form.getByLabel('Maximum age').fill('120');
  await form.getByRole('button', { name: 'Create inlet' }).click();
  const created = region('Secret of Chart service');
  await created.locator('pre').nth(1).waitFor();
  [address = '', message = ''] = await created.locator('pre').allTextContents();
  assert.match(message, /"secret": ?"tw_[\w-]{49}"/);
  assert.deepEqual(await problemsOf('signals-created'), []);
  await created.getByRole('button', { name: 'I have copied them' }).click();
  await page.getByRole('heading', { name: '1 inlet takes signals.' }).waitFor();
  assert.equal((await page.content()).includes('tw_'), false);
});

test('the message places an order through the address, and refused ones are counted with their reason', async () => {
  assert.equal(await send(), 202);
  const row = region('Inlets').getByRole('row', { name: /Chart service/ });
  await row.getByText('1 with an order').waitFor();
  assert.equal(await send((body) => body.replace('BTCUSDT', 'ETHUSDT')), 422);
  await row.getByText('1 of a coin that is not bound').waitFor();
  const signals = region('Signals');
  await signals.getByText('ETHUSDT is not a coin of the profile.').waitFor();
  assert.deepEqual(await problemsOf('signals'), []);
  await signals.getByRole('link', { name: 'Order placed' }).click();
  await page.getByRole('heading', { name: /^(Verified|Not verified yet)/, level: 1 }).waitFor();
  await page.goBack();
});

test('a replaced secret and a revoked inlet take no more signals', async () => {
  await page.getByRole('button', { name: 'New secret for Chart service…' }).click();
  await dialog().getByRole('button', { name: 'Replace the secret of Chart service' }).click();
  const created = region('Secret of Chart service');
  await created.locator('pre').nth(1).waitFor();
  assert.equal(await send(), 404);
  message = (await created.locator('pre').allTextContents())[1] ?? '';
  assert.equal(await send(), 202);
  await created.getByRole('button', { name: 'I have copied them' }).click();
  await page.getByRole('button', { name: 'Revoke Chart service…' }).click();
  await dialog().getByRole('button', { name: 'Revoke Chart service' }).click();
  await page.getByRole('heading', { name: 'No program can send signals.' }).waitFor();
  assert.equal(await send(), 404);
});

test('the settings set up the Telegram chat, which then answers', async () => {
  await page.goto(at('/settings'));
  const chat = region('Telegram chat');
  await chat.getByText('No chat can send commands.').waitFor();
  await chat.getByText('Set up a chat').click();
  assert.deepEqual(await problemsOf('chat-none'), []);
  await chat.getByLabel('Bot token').fill(telegram.token);
  await chat.getByLabel('Chat id').fill('Ann');
  await chat.getByLabel('User ids').fill('7, 8');
  await chat.getByLabel('Server').fill(telegram.url);
  await chat.getByRole('button', { name: 'Save the chat' }).click();
  await chat.getByText(/is not a chat id/).waitFor();
  refusedOnce(stack, 422);
  await chat.getByLabel('Chat id').fill('42');
  await chat.getByRole('button', { name: 'Save the chat' }).click();
  await chat.getByText('7, 8').waitFor();
  telegram.write('/status');
  const answer = await until('the answer of the chat', () => telegram.sent[0]?.text);
  assert.match(answer, /kill switch is released/);
  assert.equal((await page.content()).includes(telegram.token), false);
  assert.deepEqual(await problemsOf('chat'), []);
});

test('a change without the token keeps it, and the page says why Telegram cannot be read', async () => {
  const chat = region('Telegram chat');
  await chat.getByRole('switch', { name: 'Read commands' }).click();
  await chat.getByText('Off: no message is read.').waitFor();
  telegram.refusals.getUpdates.push(...Array.from({ length: 20 }, () => ({ status: 502 })));
  await chat.getByRole('switch', { name: 'Read commands' }).click();
  await chat.getByText('Telegram cannot be read.').waitFor();
  assert.deepEqual(await problemsOf('chat-problem'), []);
});

test('a removed chat is forgotten', async () => {
  await page.getByRole('button', { name: 'Remove…' }).click();
  await dialog().getByRole('button', { name: 'Remove the chat' }).click();
  await region('Telegram chat').getByText('No chat can send commands.').waitFor();
});

test('nothing failed in the pages meanwhile', () => {
  assert.deepEqual(stack.faults, []);
});
