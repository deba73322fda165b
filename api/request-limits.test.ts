import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { OPERATIONS } from '#api/contract/contract.ts';
import { changeCoin, changeProfile, lintProfile } from '#api/contract/profiles.ts';
import { importProfile } from '#api/contract/profile-configs.ts';
import { openTestApi, problemOf, type TestApi } from '#test/api/test-api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await openTestApi();
  await api.signUp();
});
afterEach(() => api[Symbol.asyncDispose]());

/** As many unknown keys as a body of 60 KiB holds. */
const unknownKeys = (): Record<string, number> =>
  Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`key${i}`, i]));
const BYTES_OF_A_REFUSAL = 20_000;

test('a refusal names at most twenty faults, in a short answer, and says how many more there are', async () => {
  const { profile } = await api.addProfile('Tested', { symbols: ['BTCUSDT'] });
  const params = { id: profile.id };
  const reply = await api.send(changeProfile, { params, body: { config: unknownKeys() } });
  const problem = problemOf(reply);
  assert.equal(problem.errors?.length, 20);
  assert.match(problem.detail, /And 3980 more\.$/);
  assert.ok(reply.text.length < BYTES_OF_A_REFUSAL, `${reply.text.length} bytes`);
  const linted = await api.call(lintProfile, { params, body: { config: unknownKeys() } });
  assert.equal(linted.errors.length, 20);
});

test('a refusal repeats at most a part of a long name or value', async () => {
  const { profile } = await api.addProfile('Tested');
  const long = 'x'.repeat(50_000);
  const headers = { 'content-type': 'application/json' };
  const send = (method: string, path: string, body: unknown) =>
    api.request(method, path, { headers, body: JSON.stringify(body) });
  for (const reply of [
    await send('PATCH', `/api/profiles/${profile.id}`, { [long]: 1 }),
    await send('PATCH', `/api/profiles/${profile.id}`, { config: { buy: { [long]: 1 } } }),
    await send('POST', `/api/profiles/${profile.id}/switch-strategy`, { strategyName: long }),
    await send('PATCH', `/api/profiles/${profile.id}`, { config: { buy: { entrySizing: { amount: long } } } }),
  ]) {
    assert.equal(reply.status, 422);
    assert.ok(reply.text.length < 2_000, `${reply.text.length} bytes`);
  }
});

test('a body of more than 64 KiB is refused, but by the few operations that take larger ones', async () => {
  const larger = OPERATIONS.filter(({ maxBodyKiB }) => maxBodyKiB !== undefined);
  assert.deepEqual(Object.fromEntries(larger.map(({ path, maxBodyKiB }) => [path, maxBodyKiB])), {
    '/profiles/import': 512,
    '/profiles/:id/backtests/:runId/advisor/manual': 1024,
  });
  const { account, profile } = await api.addProfile('Tested', { symbols: ['BTCUSDT'] });
  const big = { junk: 'x'.repeat(64 * 1024) };
  const params = { id: profile.id, symbol: 'BTCUSDT' };
  const refused = await api.refusal(changeCoin, { params, body: { overrideConfig: big } });
  assert.deepEqual([refused.code, refused.detail], ['body_too_large', 'The body is larger than 64 KiB.']);
  const file = { format: 'tradewind-profile', version: 1, name: 'File', strategyName: 'hold' } as const;
  const imported = { accountId: account.id, profile: { ...file, config: big, symbols: [] } };
  assert.equal((await api.refusal(importProfile, { body: imported })).code, 'validation_failed');
});

test('a config that is refused waits for no lock of the profile', async () => {
  const { profile } = await api.addProfile('Tested', { symbols: ['BTCUSDT'] });
  const { pool } = api.database;
  const other = await pool.connect();
  try {
    await other.query('begin');
    await other.query('select 1 from profiles where id = $1 for update', [profile.id]);
    const config = { buy: { candleLimit: 0 } };
    const params = { id: profile.id, symbol: 'BTCUSDT' };
    const refusals = [
      await api.refusal(changeProfile, { params, body: { config } }),
      await api.refusal(changeCoin, { params, body: { overrideConfig: config } }),
    ];
    assert.deepEqual(
      refusals.map(({ errors }) => errors?.[0]?.path),
      ['config.buy.candleLimit', 'overrideConfig.buy.candleLimit'],
    );
  } finally {
    await other.query('rollback');
    other.release();
  }
});
