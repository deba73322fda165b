import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runsOf } from './why-runs.ts';

const part = (hour: number, code: string | null, by: 'engine' | 'strategy' | null = 'strategy') => ({
  ...{ from: `2026-01-01T0${hour}:00:00Z`, to: `2026-01-01T0${hour + 1}:00:00Z` },
  ...{ code, by },
});

test('neighbouring parts with the same reason are one run', () => {
  const runs = runsOf([part(0, 'a'), part(1, 'a'), part(2, 'b'), part(3, 'b', 'engine'), part(4, null, null)]);
  assert.deepEqual(
    runs.map(({ from, to, code }) => [from.slice(11, 13), to.slice(11, 13), code]),
    [
      ['00', '02', 'a'],
      ['02', '03', 'b'],
      ['03', '04', 'b'],
      ['04', '05', null],
    ],
  );
});

test('a timeline without parts has no runs', () => {
  assert.deepEqual(runsOf([]), []);
});
