import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RATE_SECONDS, DecisionRate, decisionRateText } from './decision-rate.ts';

test('a second holds the decisions that arrived in it', () => {
  const beat = new DecisionRate();
  beat.record(1000, 5000);
  beat.record(1200, 6000);
  beat.step(true);
  beat.step(true);
  const { seconds, lastTickMs, marketMs } = beat.read();
  assert.equal(seconds.length, RATE_SECONDS);
  assert.deepEqual(seconds.slice(-3), [null, 2, 0]);
  assert.deepEqual([lastTickMs, marketMs], [1200, 6000]);
  assert.equal(decisionRateText(seconds), 'Last 2 seconds: 2 decisions, 1 seconds without one.');
});

test('the ruler stands still while nobody listens', () => {
  const beat = new DecisionRate();
  beat.step(true);
  const before = beat.read().seconds;
  beat.step(false);
  assert.equal(beat.read().seconds, before);
});

test('before the first second it says so', () => {
  assert.match(decisionRateText(new DecisionRate().read().seconds), /no data yet/);
});
