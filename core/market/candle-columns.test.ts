import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { lowerBound } from './candle-columns.ts';

test('the first element not below a value, where they lie evenly and where some are missing', () => {
  const step = 60_000;
  const rows = fc.array(fc.constantFrom(1, 1, 1, 2, 7), { maxLength: 40 });
  fc.assert(
    fc.property(rows, fc.nat(200), fc.constantFrom(-1, 0, 0.5, 1), (steps, at, beside) => {
      let openMs = 1_600_000_000_000;
      const sorted = Float64Array.from(steps, (count) => (openMs += count * step));
      const value = 1_600_000_000_000 + at * step + beside;
      const scanned = sorted.findIndex((each) => each >= value);
      assert.equal(lowerBound(sorted, value), scanned === -1 ? sorted.length : scanned);
    }),
  );
});
