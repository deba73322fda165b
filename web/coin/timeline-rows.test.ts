import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogRow } from '#web/data/answers.ts';
import { nextChange, rangesOf, timelineOf } from './timeline-rows.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const row = (minute: number, until: number, ctx: Record<string, unknown>): LogRow => ({
  id: `${minute}`,
  symbol: 'BTCUSDT',
  level: 'info',
  msg: 'words',
  ctx,
  count: 2,
  firstAt: at(minute),
  lastAt: at(until),
});
const decision = { event: 'decision', kind: 'nothing', approval: { kind: 'not-needed' } };
const rows = [
  row(9, 12, { ...decision, reason: 'hold-below-arm', numbers: { price: '1', nothing: null } }),
  row(8, 8, { event: 'order_filled', side: 'buy' }),
  row(6, 7, { ...decision, kind: 'buy', approval: { kind: 'refused' } }),
  row(4, 5, { ...decision, reason: 'entry-above-window-low' }),
  row(1, 3, { ...decision, reason: 'entry-above-window-low' }),
];

test('rows become stretches without gaps and moments, oldest first', () => {
  const moments = timelineOf(rows);
  assert.deepEqual(
    moments.map(({ kind }) => kind),
    ['wait', 'wait', 'blocked', 'event', 'hold'],
  );
  assert.deepEqual(moments.at(-1)?.numbers, [['price', '1']]);
  const minutes = (ms: number): number => (ms - Date.parse(at(0))) / 60_000;
  assert.deepEqual(
    rangesOf(moments).map(({ kind, fromMs, toMs }) => [kind, minutes(fromMs), minutes(toMs)]),
    [
      ['wait', 1, 6],
      ['blocked', 6, 9],
      ['hold', 9, 12],
    ],
  );
});

test('a jump goes to the next change of kind, or to the end', () => {
  const moments = timelineOf(rows);
  assert.equal(nextChange(moments, 0, 1), 2);
  assert.equal(nextChange(moments, 2, -1), 1);
  assert.equal(nextChange(moments, 4, 1), 4);
  assert.equal(nextChange(moments, 1, -1), 0);
});
