import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monthWeeks, otherMonth, tintOf, weekColumns } from './calendar-days.ts';

const day = (text: string, level = 1) => ({ day: text, pnl: '1', realised: '1', fees: '0', share: null, level });

test('a month is weeks from Monday to Sunday with empty places around it', () => {
  const weeks = monthWeeks('2026-11', [day('2026-11-25')]);
  assert.equal(weeks.length, 6);
  assert.deepEqual(
    weeks.map((week) =>
      week
        .map((cell) => cell?.day.slice(8) ?? '')
        .join(' ')
        .trim(),
    ),
    ['01', '02 03 04 05 06 07 08', '09 10 11 12 13 14 15', '16 17 18 19 20 21 22', '23 24 25 26 27 28 29', '30'],
  );
  assert.deepEqual(
    weeks
      .flat()
      .filter((cell) => cell?.result !== undefined)
      .map((cell) => cell?.day),
    ['2026-11-25'],
  );
});

test('the days of a period are columns of weeks, without days outside of it', () => {
  const columns = weekColumns([day('2026-11-25'), day('2026-11-26'), day('2026-12-01')]);
  assert.deepEqual(
    columns.map((week) => week.map((cell) => (cell === undefined ? '.' : 'x')).join('')),
    ['..xx...', '.x.....'],
  );
  assert.deepEqual(weekColumns([]), []);
});

test('the tint follows the level of a day', () => {
  assert.deepEqual([day('2026-01-01', 3), day('2026-01-01', -2), day('2026-01-01', 0)].map(tintOf), ['g3', 'n2', 'd0']);
});

test('months follow each other over the turn of a year', () => {
  assert.deepEqual(
    [otherMonth('2026-01', -1), otherMonth('2026-12', 1), otherMonth('2026-03', -1)],
    ['2025-12', '2027-01', '2026-02'],
  );
});
