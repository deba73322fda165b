import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChartData, ChartLine } from './chart-data.ts';
import { levelsOf, linesOf } from './chart-levels.ts';

const level = (name: string, price: number) => ({ name, price, fact: false, solid: false });
const candle = (closed: boolean) => ({ openMs: 0, open: 1, high: 1, low: 1, close: 1, volume: 1, closed });
const line = (name: string, acts: boolean): ChartLine => ({
  ...{ name, label: name, dash: 'dashed', pane: null, from: 'open', acts, values: [1, 2] },
});
const dataOf = (closed: boolean): ChartData => ({
  candles: [candle(true), candle(closed)],
  lines: [line('trail', true), line('fast', false)],
  ...{ beginsMs: null, linesProblem: null, levels: {}, marks: [] },
});

test('a level has the label of its strategy, and several of one name are numbered', () => {
  const labels = { part: 'Partial sale', stop: 'Stop loss' };
  const named = levelsOf([level('part', 1), level('stop', 2), level('part', 3), level('Average price', 4)], labels);
  assert.deepEqual(
    named.map(({ label }) => label),
    ['Partial sale 1', 'Stop loss', 'Partial sale 2', 'Average price'],
  );
});

test('the line of a level ends at the level in force', () => {
  const { lines } = linesOf(dataOf(false), [level('trail', 9)]);
  assert.deepEqual(
    [lines[0]?.values, lines[1]?.values],
    [
      [1, 9],
      [1, 2],
    ],
  );
});

test('the line of a level that is no longer in force ends before the open candle', () => {
  assert.deepEqual(linesOf(dataOf(false), [level('stop', 9)]).lines[0]?.values, [1, null]);
});

test('lines of the past stay as they are', () => {
  assert.deepEqual(linesOf(dataOf(true), [level('trail', 9)]).lines[0]?.values, [1, 2]);
});
