import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinEquity } from './equity.ts';

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
