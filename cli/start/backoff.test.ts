import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Backoff } from './backoff.ts';

test('pauses double up to 2 s and begin again after half a healthy minute', () => {
  const backoff = new Backoff();
  const lives = [0, 10, 29_999, 0, 0, 0, 0, 30_000, 0];
  assert.deepEqual(
    lives.map((livedMs) => backoff.pauseAfter(livedMs)),
    [250, 500, 1000, 2000, 2000, 2000, 2000, 250, 500],
  );
});
