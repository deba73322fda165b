import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { DESKTOP, shoot } from './browser.ts';
import { settle, type Stack, startStack } from './stack.ts';

let stack: Stack;
let page: Page;
let profileId: string;
let accountId: string;

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

test('what the demo locks is not offered, and refused all the same', async () => {
  assert.equal(await page.getByRole('link', { name: 'Settings', exact: true }).count(), 0);
  await page.goto(`${stack.app.url}/settings`);
  await page.getByRole('heading', { name: 'System health' }).waitFor();
  for (const title of ['Accounts and keys', 'Password', 'Sessions']) {
    assert.equal(await page.getByRole('heading', { name: title }).count(), 0, title);
  }
  const calls = [
    ['PUT', `/accounts/${accountId}/api-key`],
    ['POST', '/auth/change-password'],
    ['POST', '/accounts'],
  ] as const;
  for (const [method, path] of calls) {
    const headers = { 'x-tradewind-client': '1' };
    const answer = await page.request.fetch(`${stack.app.url}/api${path}`, { method, headers, data: {} });
    assert.equal(answer.status(), 403, path);
  }
});

test('nothing failed in the pages meanwhile', () => {
  assert.deepEqual(stack.faults, []);
});
