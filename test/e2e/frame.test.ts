// Parts of every page: navigation, keys, palette, wrong addresses; and the lists of recent events.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { DESKTOP, PHONE, shoot, sidewaysScroll } from './browser.ts';
import { ask, seriousFindings, settle, type Stack, startStack } from './stack.ts';

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
let stack: Stack;
let page: Page;
let profileId: string;
let accountId: string;

before(async () => {
  stack = await startStack();
  ({ page, profileId, accountId } = await settle(stack));
  page.setDefaultTimeout(60_000);
});
after(() => stack?.[Symbol.asyncDispose]());

const open = (path: string): Promise<unknown> => page.goto(`${stack.app.url}${path}`);
const heading = (name: RegExp): Promise<void> => page.getByRole('heading', { level: 1, name }).waitFor();

test('the main pages are reached by their names and keys', async () => {
  await open('/');
  await heading(/./);
  const places = await page.getByRole('navigation', { name: 'Main', exact: true }).getByRole('link').allTextContents();
  assert.deepEqual(places, ['Overview', 'Profiles', 'Performance', 'Research', 'Activity', 'Settings']);
  for (const [key, name] of [
    ['f', /^Performance|buy and hold|traded/],
    ['r', /^Research/],
    ['a', /^Activity/],
    ['s', /settings/i],
    ['o', /equity/],
  ] as const) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await heading(name);
  }
});

test('a phone has four tabs and lists the other pages under More', async () => {
  const phone = await stack.open({ ...PHONE, colorScheme: 'dark' });
  phone.setDefaultTimeout(60_000);
  await phone.context().addCookies((await page.context().storageState()).cookies);
  await phone.goto(stack.app.url);
  const tabs = phone.getByRole('navigation', { name: 'Main, phone' }).getByRole('link');
  await phone.getByRole('heading', { level: 1 }).waitFor();
  assert.deepEqual(await tabs.allTextContents(), ['Overview', 'Profiles', 'Performance', 'Research', 'More']);
  await tabs.last().tap();
  await phone.getByRole('region', { name: 'Pages' }).getByRole('link', { name: 'Activity' }).tap();
  await phone.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
  await phone.context().close();
});

test('a wrong address keeps the header and names a way home', async () => {
  await open('/no/such/page');
  await heading(/^Page not found/);
  await page.getByRole('button', { name: 'Stop buying' }).waitFor();
  await shoot(page, 'not-found-dark');
  await page.getByRole('link', { name: 'Back to the overview' }).click();
  await heading(/equity/);
});

test('before the scripts arrive the page has its frame', async () => {
  const bare = await stack.open({ ...DESKTOP, javaScriptEnabled: false });
  await bare.goto(stack.app.url);
  await bare.locator('#app').getByText('Loading Tradewind').waitFor();
  assert.equal(await bare.locator('header.top').count(), 1);
  await bare.context().close();
});

test('the bell counts a triggered price alert until the notifications are opened', async () => {
  const url = `${stack.app.url}/api/accounts/${accountId}/price-alerts`;
  await open('/');
  const bell = page.getByRole('link', { name: /^Notifications/ });
  await bell.waitFor();
  assert.equal(await bell.getAttribute('aria-label'), 'Notifications');
  const rule = { kind: 'move', percent: '0.01', minutes: 600 };
  await ask(page, { method: 'POST', url, data: { symbol: 'BTCUSDT', rule } });
  await page.getByRole('link', { name: 'Notifications, 1 unread' }).click();
  await heading(/notifications/i);
  await page.getByRole('link', { name: 'Notifications', exact: true }).first().waitFor();
  await open('/');
  await heading(/equity/);
  await page.getByRole('link', { name: 'Notifications', exact: true }).waitFor();
});

test('a channel is switched off, and its column chooses what it receives', async () => {
  const data = { secrets: { url: 'https://hooks.example.com/tradewind' } };
  await ask(page, { method: 'PUT', url: `${stack.app.url}/api/accounts/${accountId}/notifiers/webhook`, data });
  await open('/notifications');
  await heading(/^Messages go to Webhook/);
  await page.getByText('ntfy', { exact: true }).click();
  assert.ok(await page.getByRole('button', { name: 'Send test to ntfy' }).isDisabled(), 'no channel is saved');
  await page.getByLabel('Topic').focus();
  // The ring is around the field with its unit, not around the input alone.
  assert.equal(await page.getByLabel('Topic').evaluate((input) => getComputedStyle(input).outlineStyle), 'none');
  const cell = page.getByRole('checkbox', { name: /: Webhook$/ }).first();
  const wasOn = await cell.isChecked();
  await cell.click();
  await page.getByLabel('Quiet hours from').fill('22:30');
  await page.getByLabel('Quiet hours until').fill('07:00');
  await page.getByRole('button', { name: 'Save quiet hours' }).click();
  await page.getByRole('switch', { name: 'Webhook' }).click();
  await heading(/^No notifications are set up/);
  await page.reload();
  await heading(/^No notifications are set up/);
  assert.equal(await cell.isChecked(), !wasOn);
  assert.equal(await page.getByLabel('Quiet hours from').inputValue(), '22:30');
  await shoot(page, 'notifications-dark');
  assert.deepEqual(await seriousFindings(page), []);
  const phone = await stack.open({ ...PHONE, colorScheme: 'light' });
  await phone.context().addCookies((await page.context().storageState()).cookies);
  await phone.goto(`${stack.app.url}/notifications`);
  await phone.getByRole('switch', { name: 'Webhook' }).waitFor();
  assert.equal(await sidewaysScroll(phone), '');
  assert.deepEqual(await seriousFindings(phone), []);
  await shoot(phone, 'notifications-phone');
  await phone.context().close();
});

test('the palette opens the order ticket of a coin', async () => {
  await open('/');
  await heading(/./);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to' }).fill('buy btc');
  await page.getByRole('option', { name: /^Buy BTC/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByLabel('Spend').and(page.locator(':focus')).waitFor();
});

test('on a phone the order ticket is a sheet that Buy opens and Close closes', async () => {
  const phone = await stack.open({ ...PHONE, colorScheme: 'light' });
  phone.setDefaultTimeout(60_000);
  await phone.context().addCookies((await page.context().storageState()).cookies);
  await phone.goto(`${stack.app.url}/profiles/${profileId}/coins/BTCUSDT`);
  const ticket = phone.getByRole('region', { name: 'Order ticket' });
  const bar = phone.getByRole('navigation', { name: 'Order ticket' });
  await bar.getByRole('link', { name: 'Buy' }).tap();
  await ticket.getByLabel('Spend').and(phone.locator(':focus')).waitFor();
  await ticket.getByText('Limits').waitFor();
  assert.deepEqual(await seriousFindings(phone), []);
  await shoot(phone, 'ticket-phone');
  await ticket.getByRole('button', { name: 'Close' }).tap();
  await ticket.waitFor({ state: 'hidden' });
  await bar.getByRole('link', { name: 'Sell' }).tap();
  await ticket.getByText('Estimated proceeds').waitFor();
  await phone.context().close();
});

test('the palette finds lists, a new backtest and actions', async () => {
  await page.keyboard.press('Control+k');
  for (const name of [
    ...['Failed jobs', 'Orphan orders', 'New backtest', 'Audit log'],
    ...['Sell BTC', 'Pause buying of BTC', 'Switch to the light theme'],
  ]) {
    await page.getByRole('combobox', { name: 'Go to' }).fill(name.toLowerCase());
    await page.getByRole('option', { name: new RegExp(`^${name}`) }).waitFor();
  }
  await page.keyboard.press('Escape');
});

test('the audit log names what was changed, never by an id', async () => {
  const pause = `${stack.app.url}/api/profiles/${profileId}/symbols/BTCUSDT/pause`;
  const until = new Date(Date.now() + 60_000).toISOString();
  await ask(page, { method: 'POST', url: pause, data: { until } });
  await ask(page, { method: 'POST', url: pause.replace(/pause$/, 'resume') });
  await open('/changes');
  await page.getByText('Paused buying of BTCUSDT').waitFor();
  const rows = await page.locator('.feed li').evaluateAll((items) =>
    // The recorded values are folded under Context.
    items.map((item) =>
      [...item.querySelectorAll('div > :not(details), time')].map((one) => one.textContent).join(' '),
    ),
  );
  assert.ok(!UUID.test(rows.join('\n')), rows.join('\n'));
  await shoot(page, 'audit-dark');
});

test('the log groups its rows by trade and hides waiting', async () => {
  await open(`/profiles/${profileId}/logs`);
  await page
    .locator('.trip summary')
    .getByText(/after \d/)
    .first()
    .waitFor({ timeout: 120_000 });
  assert.equal(await page.getByText(/^Holding/).count(), 0);
  await shoot(page, 'logs-dark');
  await page.getByLabel('Level').selectOption('Everything');
  await page
    .getByText(/Waiting:|Holding|Trailing:/)
    .first()
    .waitFor();
});

test('nothing failed in the pages meanwhile', () => {
  assert.deepEqual(stack.faults, []);
});
