import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createDeferredQueue } from './deferred-queue.ts';

const collect = () => {
  const [done, failures]: [number[], unknown[]] = [[], []];
  const deferred = createDeferredQueue((error) => failures.push(error));
  const add = (from: number, to: number): void => {
    for (let nth = from; nth < to; nth++) deferred.add(() => void done.push(nth));
  };
  return { deferred, add, done, failures };
};
const upTo = (end: number): number[] => Array.from({ length: end }, (_, nth) => nth);

test('deferred jobs run in order, in the next turn', async () => {
  const { add, done, deferred } = collect();
  add(0, 3);
  assert.deepEqual(done, []);
  await nextTurn();
  assert.deepEqual(done, upTo(3));
  assert.equal(deferred.size, 0);
});

test('a long queue runs in batches, and only once no more jobs are added', async () => {
  const { add, done, deferred } = collect();
  add(0, 100);
  await nextTurn();
  assert.deepEqual(done, [], 'those of the turn are still to come');
  add(100, 120);
  await nextTurn();
  assert.deepEqual(done, []);
  const sizes: number[] = [];
  while (deferred.size > 0) {
    await nextTurn();
    sizes.push(deferred.size);
  }
  assert.deepEqual(done, upTo(120));
  assert.ok(sizes.length >= 3, `${sizes.length} turns`);
});

test('a queue that keeps growing still runs', async () => {
  const { add, done } = collect();
  const startedMs = performance.now();
  for (let nth = 0; done.length === 0; nth += 20) {
    add(nth, nth + 20);
    assert.ok(performance.now() - startedMs < 10_000, 'nothing was done');
    await nextTurn();
  }
  assert.equal(done[0], 0);
});

test('drain runs all remaining jobs, even when one fails', async () => {
  const { deferred, add, done, failures } = collect();
  add(0, 60);
  deferred.add(() => {
    throw new Error('not written');
  });
  add(60, 70);
  deferred.drain();
  assert.deepEqual(done, upTo(70));
  assert.deepEqual(failures.map(String), ['Error: not written']);
  await nextTurn();
  assert.equal(done.length, 70, 'nothing is done twice');
});
