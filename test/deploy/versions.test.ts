import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '#api/contract/session.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { createClient } from '#test/flow/client.ts';
import { until } from '#test/flow/until.ts';
import { freePort } from '#test/harness/servers.ts';
import { startRole } from './role.ts';

const LATER = `insert into schema_migrations (number, name, digest, breaking) values (9999, '9999-later', 'x', true)`;

test('a half-finished deployment and a stale worker show; an older process refuses the newer schema with a sentence', {
  timeout: 240_000,
}, async () => {
  await using stack = new AsyncDisposableStack();
  const { url, database } = stack.use(await openTestDatabase());
  const port = String(await freePort());
  const env = { DATABASE_URL: url, PORT: port, WEB_ORIGIN: `http://127.0.0.1:${port}` };
  const api = stack.use(startRole('api', { ...env, GIT_SHA: 'b'.repeat(40) }));
  const worker = stack.use(startRole('worker', { ...env, GIT_SHA: 'a'.repeat(40) }));
  const client = createClient(`http://127.0.0.1:${port}/api`);
  const read = () => client.call(status, {}).catch(() => undefined);
  await until('the worker shows', async () => (await read())?.worker !== null && (await read()) !== undefined);
  const half = await read();
  assert.deepEqual([half?.api.sha, half?.worker?.sha], ['b'.repeat(40), 'a'.repeat(40)], 'the deployment is half done');

  await database.pool.query(LATER);
  await until('the new migration shows', async () => {
    const now = await read();
    return now?.worker && Date.parse(now.db.latestMigrationAppliedAt) > Date.parse(now.worker.bootedAt);
  });

  for (const role of ['worker', 'api'] as const) {
    const older = stack.use(startRole(role, { ...env, PORT: String(await freePort()) }));
    assert.equal(await older.ended(), 78, older.output());
    assert.match(older.output(), /holds migration 9999-later, which this version does not know.*Upgrade the code/);
  }
  assert.equal(await worker.stop(), 0, worker.output());
  assert.equal(await api.stop(), 0, api.output());
});
