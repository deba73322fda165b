import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TokenBuckets } from './token-buckets.ts';

test('a key may do a burst, then as many as flow in, and learns when the next is free', () => {
  const buckets = new TokenBuckets({ perSecond: 2, burst: 3 });
  const waits = [0, 0, 0, 0, 100, 500, 500].map((nowMs) => buckets.take('a', nowMs));
  assert.deepEqual(waits, [0, 0, 0, 500, 400, 0, 500]);
  assert.equal(buckets.take('b', 500), 0, 'another key has tokens of its own');
});

test('a bucket holds no more than its burst, however long it rests', () => {
  const buckets = new TokenBuckets({ perSecond: 1, burst: 2 });
  buckets.take('a', 0);
  const waits = [1e9, 1e9, 1e9].map((nowMs) => buckets.take('a', nowMs));
  assert.deepEqual(waits, [0, 0, 1000]);
});

test('of very many keys the longest unused are forgotten', () => {
  const buckets = new TokenBuckets({ perSecond: 1, burst: 1 });
  for (let i = 0; i < 10_000; i++) buckets.take(`key ${i}`, 0);
  buckets.take('key 0', 0);
  buckets.take('one more', 0);
  assert.ok(buckets.take('key 0', 0) > 0, 'was used just now');
  assert.equal(buckets.take('key 1', 0), 0, 'was forgotten, and starts full');
});
