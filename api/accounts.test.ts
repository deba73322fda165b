import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AccountId } from '#core/ids.ts';
import { COMMAND_CHANNEL } from '#core/installation/cache-keys.ts';
import {
  createAccount,
  deleteAccount,
  deleteApiKey,
  listAccounts,
  readAccount,
  readApiKey,
  renameAccount,
  saveApiKey,
  verifyApiKey,
} from '#api/contract/accounts.ts';
import {
  readAccountKillSwitch,
  readKillSwitch,
  setAccountKillSwitch,
  setKillSwitch,
  setProfileKillSwitch,
} from '#api/contract/halts.ts';
import { addOrder } from '#test/api/test-records.ts';
import { EMAIL, openTestApi, type TestApi } from '#test/api/test-api.ts';

let api: TestApi;
before(async () => {
  api = await openTestApi();
  await api.signUp();
});
after(() => api[Symbol.asyncDispose]());

const absent = '01890000-0000-7000-8000-000000000000' as AccountId;
const SECRET = 'canary-secret-of-an-account-key';
const keyBody = { label: 'main', apiKey: 'canary-api-key-0000-wxyz', secret: SECRET };

async function jobs(): Promise<{ name: string; data: unknown }[]> {
  const { rows } = await api.database.pool.query('select name, data from pgboss.job order by created_on');
  return rows;
}

async function audits(subject: string): Promise<string[]> {
  const rows = await api.database.kysely
    .selectFrom('audit_logs')
    .select('action')
    .where('subject', '=', subject)
    .orderBy('at')
    .execute();
  return rows.map((row) => row.action);
}

test('an account is created, read, renamed and deleted, each audited', async () => {
  const made = await api.call(createAccount, { body: { name: ' Main ', exchangeMode: 'live' } });
  assert.deepEqual([made.name, made.exchangeMode, made.endpoint, made.apiKey], ['Main', 'live', 'exchange', null]);
  assert.deepEqual(await api.call(readAccount, { params: { id: made.id } }), made);
  assert.ok((await api.call(listAccounts, {})).accounts.some(({ id }) => id === made.id));
  const renamed = await api.call(renameAccount, { params: { id: made.id }, body: { name: 'First' } });
  assert.deepEqual(renamed, { ...made, name: 'First' });
  await api.call(deleteAccount, { params: { id: made.id } });
  assert.equal((await api.refusal(readAccount, { params: { id: made.id } })).code, 'not_found');
  assert.deepEqual(await audits(made.id), ['account.create', 'account.rename', 'account.delete']);
});

test('names are unique, also when a name is taken by renaming', async () => {
  const account = await api.call(createAccount, { body: { name: 'One', exchangeMode: 'testnet' } });
  await api.call(createAccount, { body: { name: 'Two', exchangeMode: 'testnet', endpoint: 'demo' } });
  assert.equal((await api.refusal(createAccount, { body: { name: 'One', exchangeMode: 'live' } })).code, 'conflict');
  assert.equal(
    (await api.refusal(renameAccount, { params: { id: account.id }, body: { name: 'Two' } })).code,
    'conflict',
  );
  assert.equal((await api.call(renameAccount, { params: { id: account.id }, body: { name: 'One' } })).name, 'One');
});

test('modes and endpoints that do not exist, or not together, are refused', async () => {
  const attempt = (body: Record<string, unknown>) => api.refusal(createAccount, { body: body as never });
  assert.deepEqual((await attempt({ name: 'x', exchangeMode: 'margin' })).errors?.[0]?.path, 'exchangeMode');
  assert.deepEqual(
    (await attempt({ name: 'x', exchangeMode: 'live', endpoint: 'paper' })).errors?.[0]?.path,
    'endpoint',
  );
});

test('an account with profiles or live orders stays, with the counts', async () => {
  const { account, profile } = await api.addProfile('Busy');
  await addOrder(api.database, { accountId: account.id, profileId: profile.id, symbol: 'BTCUSDT', state: 'open' });
  const problem = await api.refusal(deleteAccount, { params: { id: account.id } });
  assert.equal(problem.status, 409);
  assert.match(problem.detail, /1 profiles and 1 live orders/);
  assert.equal((await api.refusal(deleteAccount, { params: { id: absent } })).code, 'not_found');
});

test('a key is stored in plaintext, shown without secrets, and checked by the worker', async () => {
  const { id } = await api.call(createAccount, { body: { name: 'Keyed', exchangeMode: 'testnet' } });
  const params = { id };
  assert.equal(await api.call(readApiKey, { params }), null);
  const reply = await api.send(saveApiKey, { params, body: keyBody });
  assert.equal(reply.status, 200);
  assert.doesNotMatch(reply.text, /canary/);
  assert.deepEqual(JSON.parse(reply.text), {
    label: 'main',
    last4: 'wxyz',
    status: null,
    cause: null,
    checkedAt: null,
  });
  const stored = await api.database.kysely
    .selectFrom('api_keys')
    .selectAll()
    .where('account_id', '=', id)
    .executeTakeFirst();
  assert.deepEqual([stored?.api_key, stored?.secret], [keyBody.apiKey, SECRET]);
  const { jobId } = await api.call(verifyApiKey, { params });
  assert.match(jobId, /^[0-9a-f-]{36}$/);
  const queued = (await jobs()).filter((job) => job.name === 'verify-api-key');
  assert.deepEqual(
    queued.map((job) => job.data),
    [{ accountId: id }, { accountId: id }],
  );
  await api.call(deleteApiKey, { params });
  assert.equal((await api.refusal(deleteApiKey, { params })).code, 'not_found');
  assert.equal((await api.refusal(verifyApiKey, { params })).code, 'not_found');
  assert.equal((await api.refusal(saveApiKey, { params: { id: absent }, body: keyBody })).code, 'not_found');
});

test('a key is stored without the spaces around it, and one that no header can hold is refused', async () => {
  const { id } = await api.call(createAccount, { body: { name: 'Pasted', exchangeMode: 'testnet' } });
  const params = { id };
  for (const apiKey of ['a key with spaces', 'key-of-two\nlines-0001', 'schlüssel-0001', 'key\u0000-of-zeros']) {
    const { errors } = await api.refusal(saveApiKey, { params, body: { ...keyBody, apiKey } });
    assert.deepEqual(
      errors?.map(({ path }) => path),
      ['apiKey'],
      apiKey,
    );
  }
  assert.equal(await api.call(readApiKey, { params }), null, 'nothing of it is stored');
  await api.call(saveApiKey, { params, body: { ...keyBody, apiKey: ' pasted-key-0001\n', secret: `${SECRET}\n` } });
  const { rows } = await api.database.pool.query('select api_key, secret from api_keys where account_id = $1', [id]);
  assert.deepEqual(rows, [{ api_key: 'pasted-key-0001', secret: SECRET }]);
});

test('kill switches engage and release, notify the workers and are audited', async () => {
  const received: string[] = [];
  await using _listening = await api.cache.subscribe(COMMAND_CHANNEL, (message) => received.push(message));
  const off = { engaged: false, since: null, by: null, reason: null, freeze: false, cancelEntryOrders: false };
  assert.deepEqual(await api.call(readKillSwitch, {}), off);
  const on = await api.call(setKillSwitch, {
    body: { engaged: true, reason: 'news', freeze: true, cancelEntryOrders: true },
  });
  const { since: _, ...wished } = on;
  assert.deepEqual(wished, { engaged: true, by: EMAIL, reason: 'news', freeze: true, cancelEntryOrders: true });
  assert.ok(Math.abs(Date.parse(on.since ?? '') - Date.now()) < 60_000);
  assert.deepEqual(await api.call(readKillSwitch, {}), on);
  assert.equal((await api.call(setKillSwitch, { body: { engaged: true } })).since, on.since);
  for (const _twice of [1, 2]) assert.deepEqual(await api.call(setKillSwitch, { body: { engaged: false } }), off);
  assert.deepEqual(await api.call(readKillSwitch, {}), off);
  assert.deepEqual(await audits('all'), ['kill-switch.engage', 'kill-switch.engage', 'kill-switch.release']);
  await api.cache.publish(COMMAND_CHANNEL, 'end');
  while (received.at(-1) !== 'end') await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(received.slice(0, -1), Array(3).fill('{"kind":"halts-changed"}'));
});

test('account and profile have switches of their own', async () => {
  const { account, profile } = await api.addProfile('Halted');
  await api.call(setAccountKillSwitch, { params: { id: account.id }, body: { engaged: true } });
  await api.call(setProfileKillSwitch, { params: { id: profile.id }, body: { engaged: true } });
  assert.equal((await api.call(readAccountKillSwitch, { params: { id: account.id } })).engaged, true);
  assert.equal((await api.call(readKillSwitch, {})).engaged, false);
  const scopes = await api.database.kysely
    .selectFrom('kill_switches')
    .select(['scope', 'subject'])
    .orderBy('scope')
    .execute();
  assert.deepEqual(scopes, [
    { scope: 'account', subject: account.id },
    { scope: 'profile', subject: profile.id },
  ]);
  assert.equal(
    (await api.refusal(setAccountKillSwitch, { params: { id: absent }, body: { engaged: true } })).code,
    'not_found',
  );
});

test('a key belongs to one account: another account is refused it, and keeps the key that it has', async () => {
  const create = (name: string) => api.call(createAccount, { body: { name, exchangeMode: 'testnet' } });
  const [owner, second] = [await create('Owner of the key'), await create('Second')];
  const save = (id: AccountId, apiKey: string) => ({ params: { id }, body: { ...keyBody, apiKey } });
  await api.call(saveApiKey, save(owner.id, 'key-of-the-owner-0001'));
  await api.call(saveApiKey, save(second.id, 'key-of-the-second-0002'));
  const refused = await api.refusal(saveApiKey, save(second.id, 'key-of-the-owner-0001'));
  assert.deepEqual([refused.status, refused.errors?.[0]?.path], [409, 'apiKey']);
  assert.match(refused.detail, /^The account "Owner of the key" already has this API key: .* Create another key/);
  assert.equal((await api.call(readApiKey, { params: { id: second.id } }))?.last4, '0002');
  await api.call(saveApiKey, save(owner.id, 'key-of-the-owner-0001'));
  const insert = `update api_keys set api_key = 'key-of-the-owner-0001' where account_id = $1`;
  await assert.rejects(api.database.pool.query(insert, [second.id]), /api_keys_of_one_account/);

  await api.call(deleteApiKey, { params: { id: owner.id } });
  const both = [owner, second].map(({ id }) => api.send(saveApiKey, save(id, 'key-for-the-faster-0003')));
  const statuses = (await Promise.all(both)).map(({ status }) => status);
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [200, 409],
    'at once, too',
  );
});
