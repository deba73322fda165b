import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAccountHealth } from '#api/contract/account-state.ts';
import { startDiagnosis } from '#api/contract/diagnosis.ts';
import { readDashboard } from '#api/contract/records.ts';
import { control } from '#test/paper/test-server.ts';
import { startProfile } from './profile.ts';
import { openStack } from './stack.ts';
import { until } from './until.ts';

test('an account that stops again and again says so everywhere with the cause, and says when it runs again', async () => {
  await using stack = await openStack({ source: { kind: 'synthetic' } });
  const healthOf = async () => stack.call(readAccountHealth, { params: { id: stack.accountId } });
  const id = await startProfile(stack, ['BTCUSDT']);
  await until('the account to run', async () => (await healthOf()).run?.downSince === null);
  assert.equal((await healthOf()).run?.faults, null);

  await stack.stopWorker();
  const refused = { kind: 'fail-before', status: 400, body: { code: -1102, msg: 'No account today.' }, times: 100_000 };
  await control(stack.paper, 'POST /faults', [{ match: { method: 'GET', path: '/api/v3/account' }, ...refused }]);
  await stack.startWorker();
  await until('three faults in a row', async () => ((await healthOf()).run?.faults?.count ?? 0) >= 3, 30_000);
  const { run } = await healthOf();
  assert.match(run?.faults?.cause ?? '', /No account today/);
  assert.notEqual(run?.downSince, null);
  const { accounts } = await stack.call(readDashboard, {});
  assert.match(accounts[0]?.run?.faults?.cause ?? '', /No account today/);
  const { report } = await stack.call(startDiagnosis, { params: { id }, query: {} });
  assert.equal(report?.verdict, 'blocked');
  assert.match(report?.headline ?? '', /^The account has stopped on an error .* The cause: .*No account today/);

  await control(stack.paper, 'DELETE /faults');
  await until('the account to run again', async () => (await healthOf()).run?.downSince === null, 30_000);
  await until('the faults to be over', async () => (await healthOf()).run?.faults === null, 60_000);
  const { rows } = await stack.database.pool.query(`select data from pgboss.job where name = 'notify'`);
  const titles = JSON.stringify(rows);
  assert.equal(titles.split('keeps stopping').length, 2, 'notified once');
  assert.equal(titles.split('runs again.').length, 2, 'told once that it is over');
});
