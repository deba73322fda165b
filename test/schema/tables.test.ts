import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '#test/harness/source-files.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { tablesText } from './tables.ts';

const FILE = join(ROOT, 'storage', 'postgres', 'tables.ts');

test('the types of the tables are those of the migrations; WRITE_TABLES=1 writes them', async () => {
  await using opened = await openTestDatabase();
  const text = await tablesText(opened.database);
  if (process.env['WRITE_TABLES'] === '1') writeFileSync(FILE, text);
  assert.equal(readFileSync(FILE, 'utf8'), text);
});
