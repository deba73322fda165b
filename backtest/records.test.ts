import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { iso } from './records.ts';

test('a moment is written as dates write it, on minutes and between them', () => {
  const year = 365 * 86_400_000;
  const minutes = fc.integer({ min: -year / 60_000, max: (70 * year) / 60_000 }).map((minute) => minute * 60_000);
  fc.assert(
    fc.property(fc.array(fc.tuple(minutes, fc.constantFrom(0, 0, 1, 1_000, 59_999)), { maxLength: 20 }), (moments) => {
      for (const [minute, ms] of moments) assert.equal(iso(minute + ms), new Date(minute + ms).toISOString());
    }),
  );
});
