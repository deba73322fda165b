import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '#test/harness/source-files.ts';
import { candleHistory, HISTORY_FOLDER, readHistory } from './candle-history.ts';
import { DOCUMENTS } from './documents.ts';

for (const [path, make] of Object.entries(DOCUMENTS))
  test(`${path} says what the code says; npm run documents writes it anew`, () => {
    assert.equal(readFileSync(join(ROOT, path), 'utf8'), make());
  });

test('the candles that come with the paper exchange are those of the synthetic market; npm run documents writes them', () => {
  const made = candleHistory();
  assert.deepEqual(readdirSync(HISTORY_FOLDER).toSorted(), [...made.keys(), 'README.md'].toSorted());
  for (const [name, text] of made) assert.ok(readHistory(name) === text, name);
});

test('the candles that come with the paper exchange take at most two megabytes', () => {
  const sizes = readdirSync(HISTORY_FOLDER).map((name) => statSync(join(HISTORY_FOLDER, name)).size);
  assert.ok(sizes.reduce((sum, size) => sum + size, 0) < 2_000_000);
});
