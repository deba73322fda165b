// How many requests and bytes a page costs that is opened by its address, without its files.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { costOf, PAGES } from './page-cost.ts';
import { settle, type Stack, startStack } from './stack.ts';

let stack: Stack;
let page: Page;
let profileId: string;

before(async () => {
  stack = await startStack({ speed: 1 });
  ({ page, profileId } = await settle(stack));
  page.setDefaultTimeout(60_000);
});
after(() => stack?.[Symbol.asyncDispose]());

test('the overview needs at most 5 requests and 15 kB', async () => {
  const { requests, bytes } = await costOf(page, stack.app.url, PAGES.overview);
  await page.getByRole('heading', { level: 1, name: /equity/ }).waitFor();
  assert.ok(requests.length <= 5, requests.join('\n'));
  assert.ok(bytes <= 15_000, `${bytes} bytes`);
});

test('the page of a coin needs at most 5 requests and 40 kB', async () => {
  const { requests, bytes } = await costOf(page, stack.app.url, PAGES.coin(profileId));
  await page.getByRole('heading', { level: 1, name: /^BTC is/ }).waitFor();
  assert.ok(requests.length <= 5, requests.join('\n'));
  assert.ok(bytes <= 40_000, `${bytes} bytes`);
});

test('nothing failed in the pages meanwhile', () => {
  assert.deepEqual(stack.faults, []);
});
