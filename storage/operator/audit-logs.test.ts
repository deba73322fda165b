import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageAuditLogs, writeAuditLog } from './audit-logs.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';

test('a long record of a change is kept as its length and its beginning', async () => {
  await using test_ = await openTestDatabase();
  const { kysely } = test_.database;
  const entry = { userId: null, subject: 's', ip: 'unknown', userAgent: '' };
  const long = { config: '\u{1f600}'.repeat(500_000) };
  await writeAuditLog(kysely, { ...entry, action: 'long', before: long, after: long });
  const short = { config: 'y'.repeat(30_000) };
  await writeAuditLog(kysely, { ...entry, action: 'short', after: short });
  const { rows } = await pageAuditLogs(kysely, {}, { limit: 10 });
  const [kept, cut] = rows.toSorted((a, b) => b.action.localeCompare(a.action));
  assert.deepEqual([kept?.before, kept?.after], [null, short]);
  assert.equal(Reflect.get(Object(cut?.before), 'characters'), JSON.stringify(long).length);
  assert.ok(JSON.stringify([cut?.before, cut?.after]).length < 10_000);
});
