// Operations on profiles and on the whole installation.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Download, Locator, Page, WebSocketRoute } from 'playwright-core';
import { DESKTOP, shoot, sidewaysScroll } from './browser.ts';
import { ask, OPERATOR, refusedOnce, settle, type Stack, startStack } from './stack.ts';

const folder = mkdtempSync(join(tmpdir(), 'tradewind-saved-'));
let stack: Stack;
let page: Page;
let profileId: string;
const at = (path: string): string => `${stack.app.url}${path.replace(':id', profileId)}`;

before(async () => {
  stack = await startStack({ others: ['ETHUSDT'] });
  ({ page, profileId } = await settle(stack));
  page.setDefaultTimeout(60_000);
});
after(async () => {
  await stack?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const dialog = (): Locator => page.getByRole('dialog');

/** Keeps what the link or button sends; answers its path. */
async function saved(press: Locator): Promise<string> {
  const [download]: [Download, unknown] = await Promise.all([page.waitForEvent('download'), press.click()]);
  const path = join(folder, download.suggestedFilename());
  await download.saveAs(path);
  return path;
}

test('a profile is renamed, copied, saved as a file, given another strategy, deleted, and read in again', async () => {
  await page.goto(at('/profiles/:id/manage'));
  await page.getByLabel('Name of the profile').fill('Swing rider');
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { name: 'Swing rider is running.' }).waitFor();
  await page.getByLabel('Name of the copy').fill('Swing rider');
  await page.getByRole('button', { name: 'Duplicate profile' }).click();
  await page.getByRole('alert').waitFor();
  refusedOnce(stack, 409);
  await page.getByLabel('Name of the copy').fill('Second rider');
  await page.getByRole('button', { name: 'Duplicate profile' }).click();
  await page.getByRole('heading', { name: 'Second rider is paused' }).waitFor();
  await page.getByRole('link', { name: 'Manage' }).click();
  const file = await saved(page.getByRole('link', { name: 'Export settings' }));
  await page.getByRole('button', { name: /^Change to .*…$/ }).click();
  await dialog()
    .getByRole('button', { name: /^Change Second rider to / })
    .click();
  await page.getByText(/^now (?!trailing)/).waitFor();
  await page.getByRole('button', { name: 'Delete this profile…' }).click();
  await dialog().getByRole('button', { name: 'Delete Second rider', exact: true }).click();
  await dialog().getByText('Second rider is deleted.').waitFor();
  await dialog().getByRole('button', { name: 'Close' }).click();
  await page.getByRole('heading', { name: 'Import a profile' }).waitFor();
  // The page that was open has requested the deleted profile once more.
  while (stack.faults.some((fault) => fault.includes('404'))) refusedOnce(stack, 404);
  await page.getByLabel('Choose a file…').setInputFiles(file);
  await page.getByRole('heading', { name: 'Second rider is paused' }).waitFor();
  await page.getByRole('link', { name: 'Manage' }).click();
  await page.getByText('now trailing trade').waitFor();
});

test('why a coin is not trading is found from the palette, with the setting that is responsible', async () => {
  const config = { config: { buy: { enabled: false } } };
  await ask(page, { method: 'PATCH', url: `${stack.app.url}/api/profiles/${profileId}`, data: config });
  // A coin that was bought meanwhile says what it waits for to sell.
  const sale = `${stack.app.url}/api/profiles/${profileId}/symbols/BTCUSDT/force-sell`;
  await ask(page, { method: 'POST', url: sale, data: { requestId: crypto.randomUUID() } });
  await page.goto(at('/'));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to' }).fill('why btc');
  await page.getByRole('option', { name: /^Why is BTCUSDT not trading\?/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /BTCUSDT/, level: 1 }).waitFor();
  await page.getByText('A worker runs.').waitFor();
  const setting = page.getByRole('region', { name: 'BTCUSDT' }).getByRole('link', { name: 'Buy', exact: true });
  while ((await setting.count()) === 0) {
    // The decision that the worker made before the change is shown until the next one.
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByRole('button', { name: 'Check now' }).and(page.locator(':enabled')).waitFor();
  }
  await page.getByRole('heading', { name: 'BTCUSDT cannot buy.', level: 1 }).waitFor();
  const reasons = page.getByRole('region', { name: 'Reasons over time' });
  await reasons
    .getByText(/\d+ decisions?, last /)
    .first()
    .waitFor();
  await reasons.getByRole('button', { name: '30 days' }).click();
  await reasons
    .getByText(/\d+ decisions?, last /)
    .first()
    .waitFor();
  await shoot(page, 'diagnosis-dark');
  await setting.click();
  await page
    .getByRole('heading', { name: /^(Swing rider trades 1 coin|BTCUSDT (has its own|uses the) settings)/ })
    .waitFor();
  const focused = (): Promise<string | null | undefined> =>
    page.evaluate(() => document.activeElement?.closest('label')?.textContent);
  await page.getByRole('switch', { name: 'Buy', exact: true }).waitFor();
  assert.equal(await focused(), 'Buy');
});

test('an order that is too small is refused at its field; a coin whose orders could not be checked is added with a warning', async () => {
  await page.goto(at('/profiles/:id/config'));
  const amount = page.getByLabel('Amount', { exact: true });
  await amount.fill('5');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page
    .locator('.field', { has: amount })
    .getByRole('alert')
    .getByText(/BTCUSDT.*USDT/)
    .waitFor();
  await page.getByText('Saving waits for: Amount.').waitFor();
  refusedOnce(stack, 422);
  await shoot(page, 'config-too-small-dark');
  await page.goto(at('/profiles'));
  await page.getByRole('link', { name: 'Second rider' }).click();
  await page.getByLabel('Add a coin').fill('ETHUSDT');
  await page.getByRole('button', { name: 'Add ETHUSDT' }).click();
  await page.getByText('Added, but order sizing was not verified:').waitFor();
  await shoot(page, 'coin-added-unchecked-dark');
});

test('a page whose connection was lost shows what it missed once it is back', async () => {
  const other = await page.context().newPage();
  const sockets: WebSocketRoute[] = [];
  let reachable = true;
  await other.routeWebSocket('**/api/ws', (socket) => {
    if (!reachable) {
      socket.onMessage(() => void socket.close({ code: 1013 }));
      return;
    }
    socket.connectToServer();
    sockets.push(socket);
  });
  await other.goto(at('/profiles'));
  await other.getByText(/Live, price/).waitFor({ timeout: 60_000 });
  await other.getByRole('link', { name: 'Swing rider' }).waitFor();
  reachable = false;
  await Promise.all(sockets.map((socket) => socket.close({ code: 1001 })));
  await other.getByText(/Live updates lost/).waitFor({ timeout: 60_000 });
  // Nothing else would bring this page up to date: the list of profiles is not polled.
  const data = { name: 'Renamed meanwhile' };
  await ask(page, { method: 'PATCH', url: `${stack.app.url}/api/profiles/${profileId}`, data });
  reachable = true;
  await other.getByRole('link', { name: 'Renamed meanwhile' }).waitFor({ timeout: 60_000 });
  await other.close();
});

test('a page takes no click before what it asks for first is there', async () => {
  const asked = '**/api/ai-provider';
  const late = Promise.withResolvers<void>();
  await page.route(asked, async (route) => {
    await late.promise;
    await route.continue();
  });
  const opened = page.goto(at('/settings'));
  await page.waitForFunction(() => document.querySelector('#main.pointer-events-none') !== null);
  late.resolve();
  await opened;
  await page.getByRole('link', { name: 'Download a backup now' }).click({ trial: true });
  assert.equal(await page.locator('#main').evaluate((main) => getComputedStyle(main).pointerEvents), 'auto');
  await page.unrouteAll({ behavior: 'wait' });
});

test('what the wallet holds beyond the managed quantity fits the page of its coin, wide or narrow', async () => {
  await page.route(/\/api\/(reads|profiles\/[^/]+\/symbols\/BTCUSDT$)/, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replaceAll(/"untracked":(null|"[^"]*")/g, '"untracked":"1234.12345678"');
    await route.fulfill({ response, body });
  });
  for (const width of [1440, 1100, 375]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(at('/profiles/:id/coins/BTCUSDT'));
    await page.getByText('In the wallet, unmanaged').waitFor();
    await page.locator('canvas').first().waitFor();
    assert.equal(await sidewaysScroll(page), '', `${width} px`);
    await shoot(page, `coin-not-managed-${width}`);
  }
  await page.unrouteAll({ behavior: 'wait' });
  await page.setViewportSize(DESKTOP.viewport);
});

test('a backup brings everything back, and trading waits for the operator', async () => {
  await page.goto(at('/settings'));
  const file = await saved(page.getByRole('link', { name: 'Download a backup now' }));
  const data = { name: 'After the backup' };
  await ask(page, { method: 'PATCH', url: `${stack.app.url}/api/profiles/${profileId}`, data });
  await page.getByLabel('Restore a backup…').setInputFiles(file);
  await dialog()
    .getByRole('button', { name: /and replace all data$/ })
    .click();
  // Sessions are in no backup: the operator signs in again after a restore, and the page says why.
  const result = page.getByText(/Restored\. [\d,]+ rows are as they were|was refused\./);
  await result.waitFor();
  assert.match((await result.textContent()) ?? '', /Restored\./);
  await shoot(page, 'restored-dark');
  await page.getByLabel('E-mail').fill(OPERATOR.email);
  await page.getByLabel('Password').fill(OPERATOR.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  while (stack.faults.some((fault) => fault.includes('401'))) refusedOnce(stack, 401);
  await page.goto(at('/'));
  await page.getByRole('heading', { name: /^Buying is stopped/ }).waitFor();
  await page.goto(at('/profiles'));
  await page.getByRole('link', { name: 'Renamed meanwhile' }).waitFor();
});

test('nothing failed in the pages meanwhile', () => {
  assert.deepEqual(stack.faults, []);
});
