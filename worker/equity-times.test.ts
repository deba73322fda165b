import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dueAt } from './equity-times.ts';

const START = Date.UTC(2026, 0, 1, 10, 0, 20);
const at = (minutes: number): Date => new Date(Date.UTC(2026, 0, 1, 10, minutes));
const spanTo = (minutes: number) => ({ first: at(0), last: at(minutes) });

test('the first point is due at once, on the full minute', () => {
  assert.deepEqual(dueAt(START, undefined), at(0));
});

test('on the first day a point is due every minute', () => {
  assert.equal(dueAt(START + 30_000, spanTo(0)), undefined);
  assert.deepEqual(dueAt(START + 60_000, spanTo(0)), at(1));
  assert.deepEqual(dueAt(START + 300_000, spanTo(1)), at(5));
});

test('after the first day a point is due every quarter of an hour', () => {
  const day = 24 * 60;
  assert.equal(dueAt(at(day + 14).getTime(), spanTo(day)), undefined);
  assert.deepEqual(dueAt(at(day + 15).getTime(), spanTo(day)), at(day + 15));
});

test('a replay passes many minutes between two looks and gets the newest one', () => {
  assert.deepEqual(dueAt(at(600).getTime(), spanTo(0)), at(600));
});

test('a market whose time went back before the curve starts again', () => {
  assert.deepEqual(dueAt(at(-3 * 24 * 60).getTime(), spanTo(10)), at(-3 * 24 * 60));
  assert.equal(dueAt(at(5).getTime(), spanTo(10)), undefined);
});
