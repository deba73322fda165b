import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { LogFile } from './log-file.ts';

test('a log goes on where it ended, is turned over by size, and only the newest are kept', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-log-'));
  try {
    const path = join(folder, 'api.log');
    const limits = { maxBytes: 20, keep: 2 };
    for (const line of ['first line', 'second line', 'third line', 'fourth line', 'fifth line']) {
      using log = new LogFile(path, limits);
      log.append(line);
    }
    assert.deepEqual(readdirSync(folder).toSorted(), ['api.log', 'api.log.1', 'api.log.2']);
    assert.equal(readFileSync(path, 'utf8'), 'fifth line\n');
    assert.equal(readFileSync(`${path}.1`, 'utf8'), 'third line\nfourth line\n');
    assert.equal(readFileSync(`${path}.2`, 'utf8'), 'first line\nsecond line\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
