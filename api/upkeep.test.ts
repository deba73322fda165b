import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { RETENTION } from '#core/installation/settings.ts';
import { pruneRecords, savePruneReceipt } from '#storage/history/prune.ts';
import { readSetting } from '#storage/postgres/service-settings.ts';
import { changeProfile } from '#api/contract/profiles.ts';
import { changeRetention, exportAuditLogs, listAuditLogs, readRetention } from '#api/contract/upkeep.ts';
import { addLogs } from '#test/api/test-records.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';

let api: TestApi;
before(async () => {
  api = await openTestApi();
  await api.signUp();
});
after(() => api[Symbol.asyncDispose]());

test('changes of the operator page newest first with before and after, and export the same rows', async () => {
  const { profile } = await api.addProfile('Audited');
  for (const name of ['A', 'B', 'C']) await api.call(changeProfile, { params: { id: profile.id }, body: { name } });
  const query = { action: 'profile.change', limit: 2 };
  const first = await api.call(listAuditLogs, { query });
  assert.deepEqual(
    first.rows.map(({ after: later }) => later),
    [
      { name: 'C', config: {} },
      { name: 'B', config: {} },
    ],
  );
  assert.equal(first.rows[0]?.ip, 'unknown');
  const rest = await api.call(listAuditLogs, { query: { ...query, cursor: first.nextCursor ?? '' } });
  assert.deepEqual([rest.rows.length, rest.nextCursor], [1, null]);
  const all = await api.call(listAuditLogs, { query: { subject: profile.id } });
  const exported = (await api.send(exportAuditLogs, { query: { subject: profile.id } })).text.trim().split('\n');
  assert.deepEqual(
    exported.map((line) => JSON.parse(line)),
    all.rows,
  );
  assert.equal((await api.refusal(listAuditLogs, { query: { cursor: 'nonsense' } })).status, 422);
});

test('retention is changed field by field within its bounds and audited; an unknown field is refused', async () => {
  const { receipts: _, ...defaults } = await api.call(readRetention, {});
  assert.deepEqual(defaults, RETENTION.defaults);
  const changed = await api.call(changeRetention, { body: { auditLogDays: 90 } });
  assert.deepEqual([changed.auditLogDays, changed.debugLogDays], [90, 30]);
  await api.call(changeRetention, { body: { auditLogDays: null } });
  assert.equal((await readSetting(api.database.kysely, RETENTION)).auditLogDays, null);
  for (const body of [{ debugLogDays: 0 }, { debugLogDays: 1.5 }, { other: 1 }, { tickTraceEntries: 999 }]) {
    assert.equal((await api.refusal(changeRetention, { body })).errors?.[0]?.path, Object.keys(body)[0]);
  }
  const { rows } = await api.call(listAuditLogs, { query: { action: 'retention.change' } });
  assert.deepEqual(
    rows.map(({ before: was, after }) => [was, after].map((row) => Reflect.get(Object(row), 'auditLogDays'))),
    [
      [90, null],
      [null, 90],
    ],
  );
});

test('a prune removes what is too old or beyond the maximum and leaves a receipt', async () => {
  const { profile } = await api.addProfile('Pruned');
  const { kysely } = api.database;
  const rows = Array.from(
    { length: 1100 },
    (_, i) => ({ level: 'info', msg: `row ${i}`, at: '2026-01-01T00:00:00Z' }) as const,
  );
  await addLogs(api.database, profile.id, [...rows, { level: 'debug', msg: 'old', at: '2026-01-01T00:00:00Z' }]);
  await kysely
    .updateTable('action_logs')
    .set({ recorded_at: '2020-01-01T00:00:00Z' })
    .where('level', '=', 'debug')
    .execute();
  const settings = { ...RETENTION.defaults, actionLogMaxRows: 1000 };
  const deleted = await pruneRecords(api.database, settings);
  assert.deepEqual([deleted['debugLogs'], deleted['actionLogsBeyondMaximum']], [1, 100]);
  assert.equal((await kysely.selectFrom('action_logs').select('id').execute()).length, 1000);
  assert.equal((await pruneRecords(api.database, { ...settings, actionLogDays: 1 }))['actionLogs'], 0);
  await savePruneReceipt(kysely, { ok: true, error: null, deleted, settings });
  const { receipts } = await api.call(readRetention, {});
  assert.deepEqual(receipts[0]?.deleted, deleted);
});
