import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiProblem } from '#api/frame/problem.ts';
import { type PeriodQuery, performancePeriod } from './performance-period.ts';

const NOW = Date.parse('2026-03-31T10:20:00Z');
const FIRST = Date.parse('2025-06-01T09:00:00Z');
const at = (query: PeriodQuery, firstMs: number | null = FIRST, timezone = 'Europe/Berlin') =>
  performancePeriod(query, { timezone, nowMs: NOW, firstMs });
const text = (ms: number): string => new Date(ms).toISOString();

test('periods start at midnight in the time zone of the operator', () => {
  const starts = (['1w', '1m', '3m', 'ytd', 'all'] as const).map((period) => text(at({ period }).fromMs));
  assert.deepEqual(starts, [
    '2026-03-24T23:00:00.000Z',
    '2026-02-27T23:00:00.000Z',
    '2025-12-30T23:00:00.000Z',
    '2025-12-31T23:00:00.000Z',
    '2025-05-31T22:00:00.000Z',
  ]);
});

test('a period starts with the first day on which something was held', () => {
  assert.equal(text(at({ period: 'ytd' }, Date.parse('2026-02-02T12:00:00Z')).fromMs), '2026-02-01T23:00:00.000Z');
});

test('before the first trade a period is today', () => {
  const { fromMs, toMs, days } = at({ period: 'all' }, null);
  assert.deepEqual([text(fromMs), toMs, days.length], ['2026-03-30T22:00:00.000Z', NOW, 1]);
});

test('a custom period contains both of its days', () => {
  const { fromMs, toMs, endsNow, days } = at({ period: 'custom', from: '2026-03-28', to: '2026-03-29' });
  assert.deepEqual([text(fromMs), text(toMs)], ['2026-03-27T23:00:00.000Z', '2026-03-29T22:00:00.000Z']);
  assert.deepEqual([endsNow, days.length], [false, 2]);
});

test('a custom period that includes today ends now', () => {
  const { toMs, endsNow } = at({ period: 'custom', from: '2026-03-30', to: '2026-12-31' });
  assert.deepEqual([toMs, endsNow], [NOW, true]);
});

test('up to eight days have a point for each hour, also on the day with 23 hours', () => {
  const { step, marks, days } = at({ period: '1w' });
  assert.deepEqual([step, days.length], ['hour', 7]);
  assert.equal(marks.length, 6 * 24 - 1 + 13 + 1);
  assert.equal(at({ period: '1m' }).step, 'day');
});

test('moments follow each other and contain the start of each day', () => {
  for (const period of ['1w', '1m', 'all'] as const) {
    const { marks, days, fromMs, toMs } = at({ period }, FIRST, 'Asia/Kolkata');
    assert.ok(marks.every((mark, i) => i === 0 || mark > (marks[i - 1] ?? 0)));
    assert.ok(days.every((start) => marks.includes(start)));
    assert.deepEqual([marks[0], marks.at(-1)], [fromMs, toMs]);
  }
});

test('a period of more than five years keeps its newest days', () => {
  const { days } = at({ period: 'all' }, Date.parse('2017-01-01T00:00:00Z'));
  assert.ok(days.length >= 1830 && days.length <= 1831, String(days.length));
});

test('a custom period without its days, or with the last one first, is refused', () => {
  assert.throws(() => at({ period: 'custom', to: '2026-01-01' }), ApiProblem);
  assert.throws(() => at({ period: 'custom', from: '2026-01-02', to: '2026-01-01' }), /from is after the last day/);
});

test('a custom period before the first trade, or after today, is one empty day', () => {
  for (const day of ['2020-01-01', '2030-01-01']) {
    const { fromMs, toMs, marks } = at({ period: 'custom', from: day, to: day });
    assert.ok(fromMs < toMs, day);
    assert.equal(marks[0], fromMs);
  }
});
