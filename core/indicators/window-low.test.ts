import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createWindowLow } from './window-low.ts';

const values = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 200 });
const lengths = fc.integer({ min: 1, max: 30 });

test('the low is the smallest of the last values, after each of them', () => {
  fc.assert(
    fc.property(values, lengths, (list, length) => {
      const window = createWindowLow(length);
      for (const [i, value] of list.entries()) {
        window.push(value);
        assert.equal(window.low(), Math.min(...list.slice(Math.max(0, i + 1 - length), i + 1)));
        assert.equal(window.count(), i + 1);
      }
    }),
  );
});

test('a window that is saved and taken back goes on as if nothing had happened', () => {
  fc.assert(
    fc.property(values, values, lengths, (before, after, length) => {
      const original = createWindowLow(length);
      for (const value of before) original.push(value);
      const restored = createWindowLow(length, { count: original.count(), entries: original.entries() });
      for (const value of after) {
        original.push(value);
        restored.push(value);
        assert.equal(restored.low(), original.low());
      }
    }),
  );
});

test('an empty window has no low', () => {
  assert.equal(createWindowLow(3).low(), Number.NaN);
});
