import assert from 'node:assert/strict';
import test from 'node:test';
import { parseCandles } from './candles.ts';

const MINUTE = 60_000;
const row = (openMs: number) => [
  openMs,
  '1.0',
  '2.5',
  '0.5',
  '2.0',
  '100.25',
  openMs + MINUTE - 1,
  '1',
  5,
  '1',
  '1',
  '0',
];

test('candles end where the next begins, and only ended ones are closed', () => {
  const candles = parseCandles([row(0), row(MINUTE), row(2 * MINUTE)], '1m', 2 * MINUTE);
  assert.deepEqual(candles[0], {
    openMs: 0,
    closeMs: MINUTE,
    open: 1,
    high: 2.5,
    low: 0.5,
    close: 2,
    volume: 100.25,
    closed: true,
  });
  assert.deepEqual(
    candles.map(({ closed }) => closed),
    [true, true, false],
  );
});

test('rows that are not candles are unreadable', () => {
  for (const body of [
    {},
    [[1, 2]],
    [[0, '1', '2', 'x', '2', '1']],
    [['0', '1', '2', '1', '2', '1']],
    [[0, '1', '2', '', '2', '1']],
  ]) {
    assert.throws(() => parseCandles(body, '1m', 0), /candles in an unexpected form/);
  }
});
