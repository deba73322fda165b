import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { DESKTOP, shoot } from './browser.ts';
import { ask, OPERATOR, refusedOnce, settle, type Stack, startStack } from './stack.ts';

let stack: Stack;
let page: Page;
let profileId: string;
let accountId: string;
const at = (path: string): string => `${stack.app.url}${path.replace(':id', profileId)}`;

before(async () => {
  stack = await startStack();
  ({ profileId, accountId } = await settle(stack));
  await stack.restart({ LIVE_DEMO: '1' });
  // A stranger: another browser without a session.
  page = await stack.open({ ...DESKTOP, colorScheme: 'dark' });
  page.setDefaultTimeout(60_000);
});
after(() => stack?.[Symbol.asyncDispose]());

/** Words on a control or heading that lead to something that a live demo locks. */
const LOCKED_WORDS =
  /^(settings$|back ?up|restore|download.*backup|new account|add (an|the|another)? ?account|manage account|accounts and keys|enter a key|api key|password$|change.*password|sessions|sign out|notif|system notif|start.*(investigation|diagnosis)|why is it not trading|check now|reconcile fees|check fees|import external trades|save retention|try without orders|ask .*(advisor|ai)|(send a )?test message)/i;
const SCREENS = [
  ...['/', '/profiles', '/activity', '/changes', '/settings', '/orphans', '/dead-letters', '/profiles/:id'],
  ...['/tokens', '/approvals'],
  ...['config', 'risk', 'logs', 'history', 'manage', 'backtests', 'diagnosis', 'signals'].map(
    (name) => `/profiles/:id/${name}`,
  ),
  ...['', '?tab=logs'].map((tab) => `/profiles/:id/coins/BTCUSDT${tab}`),
];

test('every screen says that it is a live demo, and none offers or requests anything that is locked', async () => {
  const refused: string[] = [];
  const shared: Promise<unknown>[] = [];
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`);
    // A page that is left meanwhile takes the text with it.
    const text = response.url().includes('/api/reads?') ? response.text().catch(() => '') : undefined;
    if (text !== undefined) shared.push(text.then((one) => /"demo_locked"/.test(one) && refused.push(response.url())));
  });
  const offered: string[] = [];
  for (const path of SCREENS) {
    await page.goto(at(path));
    await page.getByText(/^Live demo$/).waitFor();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('.sec, .figs, .actions, p').first().waitFor();
    const controls = await page
      .locator('a, button, summary, h2, [role=tab], [role=switch]')
      .evaluateAll((all) => all.map((one) => [one.getAttribute('href') ?? '', one.textContent?.trim() ?? '']));
    for (const [href = '', words = ''] of controls) {
      // "Settings" of a profile is its config, which stays open, as does the check of foreign orders.
      const own = /^\/profiles\/[^/]+\/config/.test(href) || (path === '/orphans' && words === 'Check now');
      if (!own && (LOCKED_WORDS.test(words) || /^\/settings|notifications|\/diagnosis$/.test(href)))
        offered.push(`${path}: ${words} ${href}`);
    }
  }
  await Promise.all(shared);
  assert.deepEqual([offered, refused], [[], []]);
  await shoot(page, 'demo-dark');
});

test('a live demo shows earlier diagnoses, and its palette leads to no new one', async () => {
  await page.goto(at('/profiles/:id/diagnosis'));
  await page.getByText(/^A live demo shows earlier diagnoses only/).waitFor();
  await page.goto(at('/'));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to' }).fill('why');
  await page.getByText('No results.').waitFor();
  await page.keyboard.press('Escape');
});

test('without signing in a stranger trades by hand, changes a profile and uses the kill switch', async () => {
  await page.goto(at('/profiles/:id/coins/BTCUSDT'));
  await page.getByLabel('Spend').fill('40');
  await page.getByRole('button', { name: /^Buy [\d.]+ BTC for/ }).click();
  await page.getByText('Order sent.').waitFor();
  await shoot(page, 'demo-order-dark');
  await page
    .getByRole('row', { name: /Manual buy/ })
    .first()
    .waitFor();
  await page.goto(at('/profiles'));
  const row = page.getByRole('row', { name: /Dip ladder/ });
  await row.getByRole('switch', { name: 'On' }).click();
  await row.getByRole('switch', { name: 'Off' }).click();
  await row.getByRole('switch', { name: 'On' }).waitFor();
  await page.goto(at('/'));
  await page.getByRole('button', { name: 'Stop buying' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Stop buying on/ })
    .click();
  await page.getByRole('heading', { name: /Buying is stopped since/ }).waitFor();
  const url = (path: string) => at(`/api${path}`);
  await ask(page, { method: 'PUT', url: url('/kill-switch'), data: { engaged: false } });
  await ask(page, { method: 'PATCH', url: url('/profiles/:id'), data: { name: 'Renamed by a stranger' } });
  await ask(page, { method: 'POST', url: url('/profiles/:id/symbols/BTCUSDT/force-sell'), data: {} });
});

test('a locked request of the demo is refused, and the page says so in a sentence', async () => {
  // The tests before opened more pages at once than a visitor may; a new process counts from zero.
  await page.goto('about:blank');
  await stack.restart({ LIVE_DEMO: '1' });
  const calls = [
    ['PUT', `/accounts/${accountId}/api-key`],
    ['POST', '/auth/change-password'],
    ['POST', '/accounts'],
    ['POST', `/profiles/${profileId}/diagnosis/runs`],
  ] as const;
  for (const [method, path] of calls) {
    const headers = { 'x-tradewind-client': '1' };
    const answer = await page.request.fetch(`${stack.app.url}/api${path}`, { method, headers, data: {} });
    assert.equal(answer.status(), 403, path);
  }
  // A page that was loaded before the demo began still offers it.
  await page.route(/\/api\/(onboarding|reads)/, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({
      response: answer,
      body: (await answer.text()).replace('"demoMode":true', '"demoMode":false'),
    });
  });
  await page.goto(at('/profiles/:id/diagnosis'));
  await page
    .getByRole('alert')
    .getByText(/live demo/i)
    .waitFor();
  await shoot(page, 'demo-refused-dark');
  // Once for the diagnosis; the bell of a page from before the demo requests locked lists too.
  do refusedOnce(stack, 403);
  while (stack.faults.some((fault) => fault.includes('403')));
  await page.unrouteAll({ behavior: 'wait' });
});

test('a live demo starts no dry runs, and their page says so', async () => {
  await page.goto(at('/profiles/:id/dry-runs'));
  await page.getByText('A live demo starts no dry runs.').waitFor();
});

test('the operator of a demo signs in on its page', async () => {
  await page.goto(at('/sign-in'));
  await page.getByLabel('E-mail').fill(OPERATOR.email);
  await page.getByLabel('Password').fill(OPERATOR.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(at('/'));
  const { cookies } = await page.context().storageState();
  assert.equal(cookies.length, 1, 'a session');
});

test('nothing failed in the pages meanwhile', () => {
  assert.deepEqual(stack.faults, []);
});
