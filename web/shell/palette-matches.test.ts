import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesOf } from './palette-matches.ts';

const rows = ['Profiles', 'BTCUSDT', 'Dip ladder', 'Dip ladder: logs'].map((words) => ({ words, note: 'page' }));
const found = (text: string): string[] => matchesOf(rows, text).map(({ words }) => words);

test('rows hold every typed word, in any order, and what begins with it comes first', () => {
  assert.deepEqual(found(''), ['Profiles', 'BTCUSDT', 'Dip ladder', 'Dip ladder: logs']);
  assert.deepEqual(found('logs dip'), ['Dip ladder: logs']);
  assert.deepEqual(found('btc'), ['BTCUSDT']);
  assert.deepEqual(found('l')[0], 'Profiles');
  assert.deepEqual(found('la dip'), ['Dip ladder', 'Dip ladder: logs']);
  assert.deepEqual(found('nothing'), []);
});
