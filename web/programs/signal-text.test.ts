import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptedText, alertBody, refusedText } from './signal-text.ts';

const OUTCOMES = [
  { state: 'used', reason: null, count: 9 },
  { state: 'refused', reason: 'signal-late', count: 2 },
  { state: 'ended', reason: null, count: 1 },
  { state: 'refused', reason: 'signal-ahead', count: 1 },
] as const;

test('accepted signals are counted by their outcome', () => {
  assert.equal(acceptedText(OUTCOMES), '10: 9 with an order, 1 without one');
});

test('refused signals are counted by their reason', () => {
  assert.equal(refusedText(OUTCOMES), '3: 2 too old, 1 from the future');
});

test('a single outcome is not added up', () => {
  assert.equal(acceptedText(OUTCOMES.slice(0, 1)), '9 with an order');
});

test('an inlet without signals has none', () => {
  assert.deepEqual([acceptedText([]), refusedText([])], ['none', 'none']);
});

test('the body of an alert is JSON with the placeholders of the sender', () => {
  assert.deepEqual(JSON.parse(alertBody('tw_x')), {
    secret: 'tw_x',
    action: 'buy',
    symbol: '{{exchange}}:{{ticker}}',
    time: '{{timenow}}',
  });
});
