import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dayStart, dayStarts, dayText, startOfDay } from './day-start.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['2026-03-10T12:00:00Z', 'UTC', '2026-03-10T00:00:00.000Z'],
  ['2026-03-10T00:00:00Z', 'UTC', '2026-03-10T00:00:00.000Z'],
  ['2026-03-10T23:30:00Z', 'Europe/Berlin', '2026-03-10T23:00:00.000Z'],
  ['2026-03-10T12:00:00Z', 'Australia/Melbourne', '2026-03-09T13:00:00.000Z'],
  ['2026-03-10T12:00:00Z', 'Asia/Kolkata', '2026-03-09T18:30:00.000Z'],
  ['2026-03-29T12:00:00Z', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
  ['2026-10-25T12:00:00Z', 'Europe/Berlin', '2026-10-24T22:00:00.000Z'],
  ['2026-03-08T07:30:00Z', 'America/New_York', '2026-03-08T05:00:00.000Z'],
];
for (const [at, timezone, start] of cases) {
  test(`the day of ${at} in ${timezone} began ${start}`, () => {
    assert.equal(dayStart(Date.parse(at), timezone).toISOString(), start);
  });
}

test('in whatever order days are asked for, each begins at its own midnight', () => {
  const zones = ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Sao_Paulo', 'Pacific/Apia'];
  fc.assert(
    fc.property(fc.constantFrom(...zones), fc.array(fc.integer({ min: 0, max: 2e12 })), (timezone, moments) => {
      const midnight = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' });
      for (const ms of moments) {
        const start = dayStart(ms, timezone).getTime();
        assert.ok(start <= ms && ms - start < 25 * 3_600_000);
        assert.equal(midnight.format(start), midnight.format(ms));
        assert.notEqual(midnight.format(start - 1), midnight.format(ms));
      }
    }),
  );
});

test('a day and its start name each other in every zone, and each day follows the one before', () => {
  const zones = [
    'UTC',
    'Europe/Berlin',
    'Pacific/Kiritimati',
    'Pacific/Pago_Pago',
    'Asia/Kolkata',
    'America/Sao_Paulo',
  ];
  for (const timezone of zones) {
    const starts = dayStarts(Date.parse('2025-12-20T00:00:00Z'), Date.parse('2026-12-31T00:00:00Z'), timezone);
    for (const start of starts)
      assert.deepEqual(
        startOfDay(dayText(start.getTime(), timezone), timezone),
        start,
        `${timezone} ${start.toJSON()}`,
      );
    const days = new Set(starts.map((start) => dayText(start.getTime(), timezone)));
    assert.equal(days.size, starts.length);
    assert.ok(starts.length >= 376 && starts.length <= 377, `${timezone} ${starts.length}`);
  }
});
