import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evenly, joinEquity } from './equity.ts';

const mark = (at: string, net: string, holding: string | null, positionCost = '100') => ({
  at: `2026-01-0${at}T00:00:00.000Z`,
  net,
  holding,
  positionCost,
  realised: '0',
  positionValue: '0',
});

test('profiles are added at each mark with the last that is known of each, and end at the worth of now', () => {
  const joined = joinEquity([[mark('1', '5', null), mark('3', '15', '0.1')], [mark('2', '-2', '0', '50')]], 1013);
  assert.deepEqual(
    joined.map(({ worth, holding }) => [worth, holding]),
    [
      [1005, 1005],
      [1003, 1005],
      [1013, 1015],
    ],
  );
  assert.deepEqual(joinEquity([], 5), []);
});

test('marks at uneven times are shown at even ones, each as long as it is the newest', () => {
  const mark = (minute: number) => ({ atMs: minute * 60_000, worth: minute, holding: 0 });
  assert.deepEqual(
    evenly([mark(0), mark(1), mark(4)], 100).map(({ worth }) => worth),
    [0, 1, 1, 1, 4],
  );
  assert.deepEqual(
    evenly([mark(0), mark(1), mark(4)], 2).map(({ worth }) => worth),
    [0, 1, 4],
  );
  assert.deepEqual(evenly([mark(3)], 2), [mark(3)]);
});
