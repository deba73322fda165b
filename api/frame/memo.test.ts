import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Memo } from './memo.ts';

test('callers within the time share one load, later ones load again', async () => {
  let nowMs = 0;
  let loads = 0;
  const memo = new Memo<number>({ nowMs: () => nowMs, most: 10 });
  const load = async () => ++loads;
  assert.deepEqual(await Promise.all([memo.get('a', 100, load), memo.get('a', 100, load)]), [1, 1]);
  nowMs = 99;
  assert.equal(await memo.get('a', 100, load), 1);
  nowMs = 100;
  assert.equal(await memo.get('a', 100, load), 2);
});

test('failures and values that may not be kept are loaded again', async () => {
  const memo = new Memo<number | undefined>({ nowMs: () => 0, most: 10, keep: (value) => value !== undefined });
  await assert.rejects(
    memo.get('a', 100, async () => Promise.reject(new Error('down'))),
    /down/,
  );
  assert.equal(await memo.get('a', 100, async () => undefined), undefined);
  assert.equal(await memo.get('a', 100, async () => 3), 3);
});

test('a value that was cleared while it was loading is not kept', async () => {
  const memo = new Memo<number>({ nowMs: () => 0, most: 2 });
  const loading = Promise.withResolvers<number>();
  const first = memo.get('a', 100, () => loading.promise);
  memo.clear();
  loading.resolve(1);
  assert.equal(await first, 1);
  assert.equal(await memo.get('a', 100, async () => 2), 2);
});

test('the oldest entry leaves first', async () => {
  const memo = new Memo<number>({ nowMs: () => 0, most: 2 });
  for (const key of ['a', 'b', 'c']) await memo.get(key, 100, async () => 1);
  assert.equal(await memo.get('c', 100, async () => 2), 1);
  assert.equal(await memo.get('a', 100, async () => 2), 2);
});
