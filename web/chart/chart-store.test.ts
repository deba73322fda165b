import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChartPage } from './chart-data.ts';
import { ChartStore } from './chart-store.ts';

const MINUTE = 60_000;
const LIMIT = 10;
const NEWEST = 100;

/** A market with the minutes 0 to 99, in pages of ten. */
function pageBefore(beforeMs: number | undefined): ChartPage {
  const end = Math.min(NEWEST, beforeMs === undefined ? NEWEST : Math.ceil(beforeMs / MINUTE));
  const start = Math.max(0, end - LIMIT);
  const minutes = Array.from({ length: Math.max(0, end - start) }, (_, i) => start + i);
  return {
    candles: minutes.map((minute) => ({
      ...{ openMs: minute * MINUTE, open: 1, high: 1, low: 1, close: 1, volume: 1, closed: true },
    })),
    ...{ lines: [], linesProblem: null, levels: {}, marks: [], beginsMs: minutes.length < LIMIT ? 0 : null },
  };
}

function openStore() {
  const reads: (number | undefined)[] = [];
  const store = new ChartStore({
    ...{ intervalMs: MINUTE, limit: LIMIT },
    read: (beforeMs) => {
      reads.push(beforeMs);
      return Promise.resolve(pageBefore(beforeMs));
    },
  });
  store.receive(pageBefore(undefined));
  return { store, reads };
}
const spanOf = (store: ChartStore): (number | undefined)[] => {
  const candles = store.read().data?.candles ?? [];
  return [(candles[0]?.openMs ?? 0) / MINUTE, (candles.at(-1)?.openMs ?? 0) / MINUTE];
};

test('older candles are read from the first one on, until history begins', async () => {
  const { store, reads } = openStore();
  for (let i = 0; i < 12; i++) await store.older();
  assert.deepEqual(spanOf(store), [0, 99]);
  assert.equal(store.read().data?.beginsMs, 0);
  assert.deepEqual(reads.slice(0, 2), [90 * MINUTE, 80 * MINUTE]);
  assert.equal(reads.length, 10);
});

test('two requests for older candles read them once', async () => {
  const { store, reads } = openStore();
  await Promise.all([store.older(), store.older()]);
  assert.equal(reads.length, 1);
});

test('a jump starts new data around a time, which then grows to both sides', async () => {
  const { store } = openStore();
  await store.jump(20 * MINUTE, 22 * MINUTE);
  assert.deepEqual([spanOf(store), store.read().epoch, store.read().atNewest], [[16, 25], 2, false]);
  await store.newer();
  await store.older();
  assert.deepEqual(spanOf(store), [6, 35]);
});

test('a jump within the loaded candles reads nothing', async () => {
  const { store, reads } = openStore();
  await store.jump(92 * MINUTE, 95 * MINUTE);
  assert.deepEqual([reads.length, store.read().epoch], [0, 1]);
});

test('after a jump into the past the newest page does not replace the shown candles', async () => {
  const { store } = openStore();
  await store.jump(20 * MINUTE, 22 * MINUTE);
  store.receive(pageBefore(undefined));
  assert.deepEqual(spanOf(store), [16, 25]);
  for (let i = 0; i < 8; i++) await store.newer();
  store.receive(pageBefore(undefined));
  assert.deepEqual([spanOf(store), store.read().atNewest], [[16, 99], true]);
});

test('a failed read is reported and can be repeated', async () => {
  let fails = true;
  const read = (beforeMs: number | undefined) =>
    fails ? Promise.reject(new Error('no answer')) : Promise.resolve(pageBefore(beforeMs));
  const store = new ChartStore({ read, intervalMs: MINUTE, limit: LIMIT });
  store.receive(pageBefore(undefined));
  await store.older();
  assert.match(String(store.read().error), /no answer/);
  fails = false;
  await store.older();
  assert.deepEqual([spanOf(store), store.read().error], [[80, 99], null]);
});
