import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { requireDecimal } from '#core/amount/decimal.ts';
import type { CacheEntry, CacheStore } from '#core/ports/cache.ts';
import { createAnnouncer } from './announcer.ts';

const COINS = Array.from({ length: 20 }, (_, index) => `C${index}USDT`);
const STEP_MS = 250;

/** A cache store that only keeps the entries and counts the calls. */
function countCalls() {
  const entries = new Map<string, string>();
  const calls = { setAll: 0, publish: 0 };
  const refused = () => Promise.reject(new Error('The announcer does not call this.'));
  const cache: CacheStore = {
    get: refused,
    set: refused,
    delete: refused,
    list: refused,
    append: refused,
    newest: refused,
    countInWindow: refused,
    subscribe: refused,
    setAll(all: ReadonlyMap<string, CacheEntry>) {
      calls.setAll += 1;
      for (const [key, { value }] of all) entries.set(key, value);
      return Promise.resolve();
    },
    publish() {
      calls.publish += 1;
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return { cache, calls, entries };
}

/** Passes virtual time; each coin has a new price every second. */
async function trade(context: TestContext, isWatched: () => boolean) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { cache, calls, entries } = countCalls();
  let atMs = 0;
  const announcer = createAnnouncer({ cache, isWatched, onFailure: assert.ifError, nowMs: () => atMs });
  const pass = async (seconds: number): Promise<void> => {
    for (const untilMs = atMs + seconds * 1_000; atMs < untilMs; ) {
      const price = requireDecimal(String(100 + atMs / 1_000));
      if (atMs % 1_000 === 0) for (const symbol of COINS) announcer.price({ venue: 'testnet', symbol, price, atMs });
      atMs += STEP_MS;
      context.mock.timers.tick(STEP_MS);
      await turn();
    }
  };
  return { announcer, calls, entries, pass };
}

test('without a browser prices are stored every five seconds and not published', async (context) => {
  const { calls, entries, pass } = await trade(context, () => false);
  await pass(60);
  assert.ok(calls.setAll >= 10 && calls.setAll <= 12, `${calls.setAll} writes in a minute`);
  assert.equal(calls.publish, 0);
  assert.equal(entries.size, COINS.length);
});

test('with a browser prices are published within half a second', async (context) => {
  const { calls, pass } = await trade(context, () => true);
  await pass(60);
  assert.ok(calls.publish >= 55, `${calls.publish} publications in a minute`);
});

test('a browser that connects gets the next prices at once', async (context) => {
  let isWatched = false;
  const { calls, pass } = await trade(context, () => isWatched);
  await pass(8);
  isWatched = true;
  await pass(1);
  assert.ok(calls.publish >= 1);
});

test('the newest prices are stored when the worker stops', async (context) => {
  const { announcer, entries, pass } = await trade(context, () => false);
  await pass(8);
  await announcer[Symbol.asyncDispose]();
  assert.match(entries.get('price:testnet:C0USDT') ?? '', /"107"/);
});
