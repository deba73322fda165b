import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxDrawdown } from './drawdown.ts';

const points = (...nets: number[]) => nets.map((net, i) => ({ atMs: i * 1000, net }));

test('the largest fall below an earlier high counts, not the newest', () => {
  const found = maxDrawdown([points(0, 100, 50, 120, 90)], 1_090);
  assert.deepEqual([found?.share.toFixed(4), found?.sinceMs, found?.isAtHigh], ['-0.0455', 0, false]);
});

test('a curve that only rises has no drawdown and is at its high', () => {
  assert.deepEqual(maxDrawdown([points(0, 10, 20)], 1_020), { share: 0, sinceMs: 0, isAtHigh: true });
});

test('profiles are added up, each with its newest point until then', () => {
  const late = [{ atMs: 1_500, net: -100 }];
  assert.equal(maxDrawdown([points(0, 0, 0), late], 900)?.share.toFixed(3), '-0.100');
});

test('one point is no curve', () => {
  assert.equal(maxDrawdown([points(5)], 100), undefined);
});
