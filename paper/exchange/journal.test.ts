import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openJournal } from './journal.ts';

test('only the owner can read the stored files, also those of an earlier version', (t) => {
  const parent = mkdtempSync(join(tmpdir(), 'tradewind-journal-'));
  t.after(() => rmSync(parent, { recursive: true }));
  const orders = { lastId: 0, lastExecutionId: 0, orders: [], fills: [], prevented: [], lists: [] };
  const record = { atMs: 1, orders, purses: [], tradeIds: {} };
  const open = join(parent, 'open');
  mkdirSync(open);
  chmodSync(open, 0o755);
  writeFileSync(join(open, 'journal.jsonl'), '');
  chmodSync(join(open, 'journal.jsonl'), 0o644);
  for (const folder of [join(parent, 'new'), open]) {
    using journal = openJournal(folder).journal;
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    if (folder === open) assert.equal(statSync(join(folder, 'journal.jsonl')).mode & 0o777, 0o600);
    journal.append(record);
    journal.compact(record);
    const names = readdirSync(folder);
    assert.deepEqual(names.toSorted(), ['journal.jsonl', 'market-time', 'snapshot.json']);
    for (const name of names) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
  }
});
