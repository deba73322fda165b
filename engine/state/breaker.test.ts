import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBreaker } from './breaker.ts';

const NO = 'Filter failure: NOTIONAL';

test('three identical refusals open it: reported once, then one probe a minute, until an order is accepted', () => {
  const breaker = createBreaker();
  const refusals = [0, 1, 2, 3].map((nth) => breaker.refused('entry', NO, nth));
  assert.deepEqual(
    refusals.map(({ untilMs }, nth) => untilMs - nth),
    [1_000, 5_000, 60_000, 60_000],
  );
  assert.deepEqual(
    refusals.map(({ opened }) => opened),
    [false, false, true, false],
  );
  assert.equal(breaker.open('entry', 60_002)?.times, 4);
  assert.equal(breaker.open('entry', 60_003), undefined);
  assert.equal(breaker.open('exit', 60_002), undefined);
  breaker.accepted('entry');
  assert.equal(breaker.open('entry', 60_002), undefined);
  assert.equal(breaker.refused('entry', NO, 0).times, 1);
});

test('another refusal in between counts from one, and passing reasons never open it', () => {
  const breaker = createBreaker();
  const messages = [NO, NO, 'Market is closed.', NO, NO];
  assert.ok(messages.every((message) => !breaker.refused('entry', message, 0).opened));
  for (const nowMs of [0, 1, 2, 3]) breaker.delayed('exit', 'rate-limited', nowMs);
  assert.equal(breaker.open('exit', 5_002)?.times, 4);
  assert.equal(breaker.open('exit', 5_003), undefined);
});
