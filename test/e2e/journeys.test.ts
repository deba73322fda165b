import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page, WebSocketRoute } from 'playwright-core';
import { DESKTOP, PHONE, shoot, sidewaysScroll } from './browser.ts';
import { refusedOnce, settle, type Stack, startStack } from './stack.ts';

let stack: Stack;
let page: Page;
let profileId: string;
const at = (path: string): string => `${stack.app.url}${path.replace(':id', profileId)}`;

before(async () => {
  stack = await startStack();
  ({ page, profileId } = await settle(stack));
  page.setDefaultTimeout(60_000);
});
after(() => stack?.[Symbol.asyncDispose]());

test('a setting is refused at its field in the words of the server, mended, saved, and shown in the history', async () => {
  await page.goto(at('/profiles/:id/config'));
  const candles = page.getByLabel('Candles of the low', { exact: true });
  await candles.fill('1000');
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByRole('alert').getByText('must be at least 1 and at most 999 candles').waitFor();
  await page.getByText('Saving waits for: Candles of the low.').waitFor();
  refusedOnce(stack, 422);
  await shoot(page, 'config-refused-dark');
  await page.setViewportSize(PHONE.viewport);
  assert.equal(await sidewaysScroll(page), '');
  await page.setViewportSize(DESKTOP.viewport);
  await candles.fill('45');
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByText('Nothing is changed.').waitFor();
  await page.getByText('Candles of the low 45 candles instead of 60 candles').waitFor();
});

test('one coin does it differently, and goes back to what the profile does', async () => {
  await page.goto(at('/profiles/:id/config?coin=BTCUSDT'));
  await page.getByLabel('Cool-down after a loss', { exact: true }).fill('5');
  const late = Promise.withResolvers<void>();
  await page.route('**/api/status', async (route) => {
    await late.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page.getByText('BTCUSDT differs').waitFor();
  await page.getByText(/Custom, default 60 minutes/).waitFor();
  await page.getByRole('button', { name: 'Reset' }).first().click();
  // Only now the save has ended: the edit that was started meanwhile is not forgotten.
  late.resolve();
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page.getByText('BTCUSDT differs').waitFor({ state: 'detached' });
  await page.unrouteAll({ behavior: 'wait' });
});

test('an edit is replayed over the past beside the form', async () => {
  await page.goto(at('/profiles/:id/config'));
  await page.getByLabel('Stop loss', { exact: true }).fill('4');
  await page.getByText(/This edit would have made/).waitFor();
  await page.getByText('How sure?').waitFor();
  assert.doesNotMatch(await page.locator('main').innerText(), /(^|\s)-\d/m);
  await shoot(page, 'what-if-dark');
});

test('a rejected order by hand keeps its amount and its button', async () => {
  await page.goto(at('/profiles/:id/coins/BTCUSDT'));
  await page.getByLabel('Spend').fill('1');
  const send = page.getByRole('region', { name: 'Order ticket' }).getByRole('button', { name: /^Buy .*BTC/ });
  await send.click();
  await page.getByText(/1(\.00)? USDT is below the smallest order, [\d.]+ USDT/).waitFor();
  assert.equal(await page.getByLabel('Spend').inputValue(), '1');
  assert.ok(await send.isEnabled());
});

test('an order by hand is carried out, and its proof goes from the decision to the ledger', async () => {
  await page.goto(at('/profiles/:id/coins/BTCUSDT'));
  await page.getByLabel('Spend').fill('40');
  await page.getByRole('button', { name: /^Buy [\d.]+ BTC for/ }).click();
  await page.getByText('Order sent.').waitFor();
  const row = page.getByRole('row', { name: /Manual buy/ }).first();
  await row.waitFor();
  await row.getByRole('link').click();
  await page.getByRole('heading', { name: /^Verified\./ }).waitFor();
  await page.getByRole('heading', { name: /Recorded in the ledger/ }).waitFor();
  await shoot(page, 'order-dark');
});

test('every tick can be captured from the log of a coin', async () => {
  await page.goto(at('/profiles/:id/coins/BTCUSDT?tab=logs'));
  await page.getByRole('switch', { name: 'Capture every tick' }).click();
  await page.getByText(/Each row holds the complete input of its tick/).waitFor();
  await page.getByRole('switch', { name: 'Capture every tick' }).click();
  await page.getByText('For one hour every tick of this profile').waitFor();
});

test('keys alone go to a coin, to the list of keys and to the kill switch', async () => {
  await page.goto(at('/'));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to' }).fill('btc');
  await page.getByRole('option', { name: /^BTCUSDT/ }).waitFor();
  await shoot(page, 'palette-dark');
  await page.keyboard.press('Enter');
  await page.getByRole('slider', { name: 'Decision timeline' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  await page.getByRole('heading', { name: /1 profile running/ }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Pages of this profile' }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('heading', { name: 'Keys' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Shift+Escape');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^Stop buying on/ }).waitFor();
  assert.match((await page.evaluate(() => document.activeElement?.textContent)) ?? '', /^\s*Stop buying on/);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
});

test('a page whose connection breaks shows it, reconnects and continues', async () => {
  const other = await page.context().newPage();
  const sockets: WebSocketRoute[] = [];
  await other.routeWebSocket('**/api/ws', (socket) => {
    socket.connectToServer();
    sockets.push(socket);
  });
  await other.goto(at('/'));
  await other.getByText(/Live, price/).waitFor({ timeout: 60_000 });
  const lost = other.getByText(/Live updates lost/).waitFor({ timeout: 60_000 });
  await sockets[0]?.close({ code: 1001 });
  await lost;
  await other.getByText(/Live, price/).waitFor({ timeout: 60_000 });
  await other.getByText(/Worker decided/).waitFor({ timeout: 60_000 });
  assert.ok(sockets.length > 1, 'no second connection was made');
  await other.close();
});

test('nothing failed in the pages meanwhile', () => {
  assert.deepEqual(stack.faults, []);
});
