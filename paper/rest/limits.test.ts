import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLimits, WEIGHT_LIMIT } from './limits.ts';

const START_MS = Date.UTC(2026, 2, 3, 10, 0, 12);
const MINUTE_MS = 60_000;

test('an address over the weight is warned, then banned for longer each time', () => {
  const banned: (string | undefined)[] = [];
  const limits = openLimits((ip) => banned.push(ip));
  let nowMs = START_MS;
  for (const [offence, lengthMs] of [120_000, 240_000, 480_000].entries()) {
    assert.deepEqual(limits.admit('a', WEIGHT_LIMIT, nowMs), { kind: 'admitted', used: WEIGHT_LIMIT });
    for (let warning = 0; warning <= 10; warning++) {
      const answer = limits.admit('a', 1, nowMs);
      assert.ok(answer.kind === 'wait' && answer.refusal.status === 429, `warning ${warning}`);
      assert.equal(answer.untilMs, nowMs - (nowMs % MINUTE_MS) + MINUTE_MS);
    }
    const ban = limits.admit('a', 1, nowMs);
    assert.ok(ban.kind === 'wait');
    assert.deepEqual(
      [ban.refusal.status, ban.untilMs, ban.refusal.message],
      [
        418,
        nowMs + lengthMs,
        `Way too much request weight used; IP banned until ${nowMs + lengthMs}. Please use WebSocket Streams for live updates to avoid bans.`,
      ],
    );
    assert.equal(banned.length, offence + 1);
    const still = limits.admit('a', 1, nowMs + lengthMs - 1);
    assert.ok(still.kind === 'wait' && still.refusal.status === 418);
    assert.deepEqual([limits.isBanned('a', nowMs + lengthMs - 1), limits.isBanned('b', nowMs)], [true, false]);
    assert.equal(limits.admit('b', 1, nowMs).kind, 'admitted');
    nowMs += lengthMs + MINUTE_MS;
  }
  limits.reset();
  assert.equal(limits.admit('a', 1, nowMs).kind, 'admitted');
});

test('an address that waits until the window ends is not banned', () => {
  const limits = openLimits();
  for (let minute = 0; minute < 5; minute++) {
    const nowMs = START_MS + minute * MINUTE_MS;
    assert.equal(limits.admit('a', WEIGHT_LIMIT, nowMs).kind, 'admitted');
    const answer = limits.admit('a', 1, nowMs);
    assert.ok(answer.kind === 'wait' && answer.refusal.status === 429);
  }
});

test('requests are also counted by number, over five minutes', () => {
  const limits = openLimits();
  const fiveMs = START_MS - (START_MS % (5 * MINUTE_MS));
  for (let sent = 0; sent < 300_000; sent++) limits.admit('a', 0, fiveMs);
  const answer = limits.admit('a', 0, fiveMs);
  assert.ok(answer.kind === 'wait');
  assert.deepEqual([answer.refusal.status, answer.untilMs], [429, fiveMs + 5 * MINUTE_MS]);
});

test('the first fill of an order reduces the count, five times as much for a maker, never below zero', () => {
  const limits = openLimits();
  const counts = () => limits.orderCounts('ann', START_MS).map((row) => row.count);
  for (let placed = 0; placed < 8; placed++) limits.addOrder('ann', START_MS);
  limits.noteFirstFill('ann', false);
  assert.deepEqual(limits.addOrder('ann', START_MS)[0]?.count, 9, 'relief comes with the next request');
  assert.deepEqual(counts(), [8, 8]);
  limits.noteFirstFill('ann', true);
  assert.deepEqual(counts(), [3, 3]);
  limits.noteFirstFill('ann', true);
  assert.deepEqual(counts(), [0, 0]);
});

test('a hundred unfilled orders in ten seconds are the limit', () => {
  const limits = openLimits();
  for (let placed = 0; placed < 100; placed++) {
    assert.equal(limits.reachedOrderLimit('ann', START_MS), undefined);
    limits.addOrder('ann', START_MS);
  }
  assert.equal(limits.reachedOrderLimit('ann', START_MS), '100 orders per 10 SECOND');
  assert.equal(limits.reachedOrderLimit('bob', START_MS), undefined);
  assert.equal(limits.reachedOrderLimit('ann', START_MS + 10_000), undefined);
});

test('an address opens at most 300 WebSocket connections in five minutes', () => {
  const limits = openLimits();
  for (let opened = 0; opened < 300; opened++) assert.ok(limits.connect('a', START_MS));
  assert.equal(limits.connect('a', START_MS), false);
  assert.equal(limits.connect('a', START_MS + 5 * MINUTE_MS), true);
});
