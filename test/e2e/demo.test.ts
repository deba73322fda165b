import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { DESKTOP, shoot } from './browser.ts';
import { OPERATOR, refusedOnce, settle, type Stack, startStack } from './stack.ts';

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
});
after(() => stack?.[Symbol.asyncDispose]());

test('a stranger trades in the demo without signing in, and the banner says so on every page', async () => {
  for (const path of ['/', '/profiles', `/profiles/${profileId}`, `/profiles/${profileId}/config`]) {
    await page.goto(`${stack.app.url}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByText('Live demo').waitFor();
  }
  await page.goto(stack.app.url);
  await page.getByText(/^Live demo$/).waitFor();
  await shoot(page, 'demo-dark');
});

/** Links to locked pages must be missing; the other ones must be present. */
const HIDDEN = [
  ['/', ['link:Settings']],
  ['/profiles/:id', ['link:Notifications', 'link:Diagnosis']],
  ['/profiles/:id/coins/BTCUSDT', ['link:Why is it not trading?']],
  ['/profiles/:id/diagnosis', ['button:Check now']],
  ['/profiles/:id/history', ['button:Check fees', 'button:Import external trades']],
  [
    '/settings',
    [
      ...['Accounts and keys', 'Password', 'Sessions', 'Backup and restore'].map((title) => `heading:${title}`),
      ...['System notifications', 'Sign out'].map((title) => `heading:${title}`),
      ...['button:Save retention', 'button:Check now', 'button:Send a test message'],
    ],
  ],
] as const;

test('what the demo locks is not offered', async () => {
  const found: string[] = [];
  for (const [path, locked] of HIDDEN) {
    await page.goto(at(path));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('.sec, .figs, .actions, p').first().waitFor();
    const main = path === '/' || path.startsWith('/settings') ? page : page.getByRole('main');
    for (const part of locked) {
      const [role, name = ''] = part.split(':');
      const kind = role === 'link' || role === 'button' ? role : 'heading';
      const offered = main.getByRole(kind, { name, exact: true });
      if ((await offered.count()) > 0) found.push(`${path}: ${part}`);
    }
  }
  assert.deepEqual(found, []);
  await page.goto(at('/profiles/:id/diagnosis'));
  await page.getByText(/^A live demo shows earlier diagnoses only/).waitFor();
  await page.goto(at('/'));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to' }).fill('why');
  await page.getByText('No results.').waitFor();
  await page.keyboard.press('Escape');
});

test('what the demo locks is refused all the same, and the page tells it in a sentence', async () => {
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
  await page.route('**/api/onboarding', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...Object(await answer.json()), demoMode: false } });
  });
  await page.goto(at('/profiles/:id/diagnosis'));
  await page
    .getByRole('alert')
    .getByText(/live demo/i)
    .waitFor();
  await shoot(page, 'demo-refused-dark');
  refusedOnce(stack, 403);
  await page.unrouteAll({ behavior: 'wait' });
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
