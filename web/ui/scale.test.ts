import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apart, roundTicks } from './scale.ts';

test('rules of a plot stand at round values', () => {
  assert.deepEqual(roundTicks(9_480, 11_418), [9500, 10000, 10500, 11000]);
  assert.deepEqual(roundTicks(-0.039, 0.021), [-0.02, 0, 0.02]);
  assert.deepEqual(roundTicks(5, 5), []);
});

test('labels keep their distance and their order', () => {
  assert.deepEqual(
    apart([{ at: 50 }, { at: 48 }]).map(({ at }) => at),
    [48, 55],
  );
});
