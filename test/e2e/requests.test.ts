// How many requests and bytes a page costs that is opened by its address, without its files.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page, Request } from 'playwright-core';
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

/** The addresses that a request of the api reads. */
function addressesOf(request: Request): string[] {
  const { pathname, search, searchParams } = new URL(request.url());
  const path = pathname.replace(/^\/api/, '');
  return path === '/reads' ? (searchParams.get('paths') ?? '').split(',') : [path + search];
}

const NO_SIZES = { responseBodySize: 0, responseHeadersSize: 0 };

/** Opens a page and waits for answers of `lasts`; the requests that read an address for the first time, and their bytes. */
async function costOf(path: string, lasts: readonly RegExp[]) {
  const known = new Set<string>();
  const first: Request[] = [];
  const collect = (request: Request): void => {
    if (!new URL(request.url()).pathname.startsWith('/api/')) return;
    const addresses = addressesOf(request);
    if (addresses.some((address) => !known.has(address))) first.push(request);
    for (const address of addresses) known.add(address);
  };
  page.on('request', collect);
  const answered = lasts.map((last) =>
    page.waitForResponse((response) => addressesOf(response.request()).some((address) => last.test(address))),
  );
  await page.goto(`${stack.app.url}${path}`);
  const responses = await Promise.all(answered);
  await Promise.all(responses.map((response) => response.finished()));
  page.off('request', collect);
  // A request that was cancelled has no sizes.
  const sizes = await Promise.all(first.map((request) => request.sizes().catch(() => NO_SIZES)));
  return {
    requests: first.map((request) => addressesOf(request).join(' ')),
    bytes: sizes.reduce((sum, size) => sum + size.responseBodySize + size.responseHeadersSize, 0),
  };
}

test('the overview needs at most 5 requests and 15 kB', async () => {
  const { requests, bytes } = await costOf('/', [/^\/status$/, /\/price-alerts$/, /\/equity/, /\/day$/]);
  await page.getByRole('heading', { level: 1, name: /equity/ }).waitFor();
  assert.ok(requests.length <= 5, requests.join('\n'));
  assert.ok(bytes <= 15_000, `${bytes} bytes`);
});

test('the page of a coin needs at most 5 requests and 40 kB', async () => {
  const path = `/profiles/${profileId}/coins/BTCUSDT`;
  const { requests, bytes } = await costOf(path, [/^\/status$/, /\/price-alerts$/, /\/chart\?/, /\/logs\?/]);
  await page.getByRole('heading', { level: 1, name: /^BTC is/ }).waitFor();
  assert.ok(requests.length <= 5, requests.join('\n'));
  assert.ok(bytes <= 40_000, `${bytes} bytes`);
});

test('nothing failed in the pages meanwhile', () => {
  assert.deepEqual(stack.faults, []);
});
