import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acquireLease } from '#storage/postgres/leases.ts';
import { until } from '#test/harness/test-outage.ts';
import { createAccount, listAccounts } from '#api/contract/accounts.ts';
import { readKillSwitch, setKillSwitch } from '#api/contract/halts.ts';
import { readLiveness, readReadiness } from '#api/contract/health.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';

/** Reconnects every connection under the setting. */
async function setReadOnly({ database }: TestApi, value: 'on' | 'off'): Promise<void> {
  const client = await database.pool.connect();
  try {
    await client.query('set transaction_read_only = off; set default_transaction_read_only = off');
    const { rows } = await client.query<{ name: string }>('select current_database() as name');
    await client.query(`alter database ${rows[0]?.name} set default_transaction_read_only = ${value}`);
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`);
  } finally {
    client.release(true);
  }
}

const readiness = async (api: TestApi) => {
  const reply = await api.send(readReadiness, {});
  return `${reply.status} ${reply.text}`;
};

test('a read-only database: the kill switch says that it is not stored and what to do, reads continue, readiness says why', async () => {
  await using api = await openTestApi();
  await api.signUp();
  // Long enough for a use of the session to be written down.
  api.advance(120_000);
  await setReadOnly(api, 'on');
  await until('readiness to see it', async () => /^503 .*The database is read-only/.test(await readiness(api)));
  const refused = await api.refusal(setKillSwitch, { body: { engaged: true, reason: 'now' } });
  assert.equal(refused.status, 503);
  assert.match(refused.detail, /read-only: nothing was stored\. The kill switch is unchanged\. .*stop the worker/);
  const released = await api.refusal(setKillSwitch, { body: { engaged: false } });
  assert.doesNotMatch(released.detail, /stop the worker/);
  const other = await api.refusal(createAccount, { body: { name: 'Another', exchangeMode: 'testnet' } });
  assert.deepEqual([other.status, other.detail], [503, 'The database is read-only: nothing was stored.']);
  assert.equal((await api.call(listAccounts, {})).accounts.length, 1);
  assert.equal((await api.call(readKillSwitch, {})).engaged, false);
  assert.deepEqual(await api.call(readLiveness, {}), { status: 'ok' });
  await setReadOnly(api, 'off');
  await until('readiness again', async () => (await readiness(api)).startsWith('200'));
  assert.equal((await api.call(setKillSwitch, { body: { engaged: true } })).engaged, true);
});

test('leases that no worker could renew make the api unready, leases that were given back do not', async () => {
  await using api = await openTestApi();
  await api.signUp();
  const [account] = (await api.call(listAccounts, {})).accounts;
  assert.ok(account !== undefined);
  await acquireLease(api.database, { accountId: account.id, holder: 'slot-1', ttlMs: 60_000 });
  assert.match(await readiness(api), /^200/);
  await api.database.pool.query(`update account_leases set expires_at = now() - interval '1 minute'`);
  assert.match(await readiness(api), /^503 .*the last lease of a worker ended at 20.*Check that a worker runs/);
  await api.database.pool.query('delete from account_leases');
  assert.match(await readiness(api), /^200/);
});
