import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { setKillSwitch } from '#api/contract/halts.ts';
import { enableProfile } from '#api/contract/profiles.ts';
import { readDashboard } from '#api/contract/records.ts';
import { changeAccountRisk } from '#api/contract/risk.ts';
import { addOrder, BTC, cachePrice, cacheRules, holdPosition } from '#test/api/test-records.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';

let api: TestApi;
before(async () => {
  api = await openTestApi();
  await api.signUp();
});
after(() => api[Symbol.asyncDispose]());

const kinds = async (): Promise<string[]> =>
  (await api.call(readDashboard, {})).blockers.list.map(({ kind, behind }) => `${kind}${behind ? ' behind' : ''}`);

test('the dashboard lists all blockers of the running profiles, the most important first', async () => {
  const { account, profile } = await api.addProfile('Running', { symbols: ['BTCUSDT'] });
  await cacheRules(api, [BTC]);
  await cachePrice(api, 'BTCUSDT', '50000');
  assert.deepEqual(await kinds(), ['worker-down', 'profile-paused behind']);
  await api.call(enableProfile, { params: { id: profile.id } });
  const beat = { sha: 'abc', bootedAt: api.now().toISOString() };
  await api.cache.set(cacheKeys.heartbeat('slot-1'), JSON.stringify(beat));
  const [at, balances] = [api.now().toISOString(), { USDT: { free: '100', locked: '0' } }];
  await api.cache.set(cacheKeys.wallet(account.id), JSON.stringify({ at, keptAt: at, balances }));
  assert.deepEqual(await kinds(), ['api-key']);

  const owner = { accountId: account.id, profileId: profile.id, symbol: 'BTCUSDT' };
  await holdPosition(api.database, { ...owner, quantity: '0.002', averagePrice: '50000' });
  await addOrder(api.database, { ...owner, state: 'unknown' });
  await api.call(changeAccountRisk, { params: { id: account.id }, body: { asset: 'USDT', exposure: '100' } });
  await api.call(setKillSwitch, { body: { engaged: true } });
  assert.deepEqual(await kinds(), ['api-key', 'buying-stopped', 'limit behind', 'order-unconfirmed behind']);
});
