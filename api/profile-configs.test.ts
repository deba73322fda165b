import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import {
  cloneProfile,
  exportProfile,
  importProfile,
  listConfigHistory,
  restoreConfig,
  switchStrategy,
} from '#api/contract/profile-configs.ts';
import { createAccount } from '#api/contract/accounts.ts';
import {
  changeCoin,
  changeProfile,
  enableProfile,
  listCoins,
  listProfiles,
  listStrategies,
} from '#api/contract/profiles.ts';
import { holdPosition } from '#test/api/test-records.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await openTestApi();
  await api.signUp();
});
afterEach(() => api[Symbol.asyncDispose]());

const budget = (amount: string) => ({ buy: { entrySizing: { amount } } });
const audited = async (action: string) =>
  api.database.kysely.selectFrom('audit_logs').select(['before', 'after']).where('action', '=', action).execute();

test('every saved config is kept, pages newest first, and an earlier one is restored, checked like a save', async () => {
  const { profile } = await api.addProfile('Kept', { config: budget('50') });
  const params = { id: profile.id };
  for (const amount of ['60', '70']) await api.call(changeProfile, { params, body: { config: budget(amount) } });
  await api.call(changeProfile, { params, body: { name: 'Only a name' } });
  const { versions } = await api.call(listConfigHistory, { params });
  assert.deepEqual(
    versions.map(({ version, config }) => [version, config]),
    [
      [3, budget('70')],
      [2, budget('60')],
      [1, budget('50')],
    ],
  );
  const page = await api.call(listConfigHistory, { params, query: { limit: 1, before: 3 } });
  assert.deepEqual(
    page.versions.map(({ version }) => version),
    [2],
  );
  const restored = await api.call(restoreConfig, { params: { ...params, version: 1 } });
  assert.deepEqual(restored.profile.config, budget('50'));
  assert.equal((await api.call(listConfigHistory, { params })).versions[0]?.version, 4);
  const [row] = await audited('profile.restore-config');
  assert.deepEqual(row?.before, { name: 'Only a name', config: budget('70') });
  assert.deepEqual(row?.after, { name: 'Only a name', config: budget('50'), version: 1 });
  assert.equal((await api.refusal(restoreConfig, { params: { ...params, version: 99 } })).code, 'not_found');
  // A version that today's bounds refuse stays where it is.
  await api.database.kysely
    .updateTable('profiles')
    .set({ config: JSON.stringify({ buy: { candleLimit: 1500 } }) })
    .execute();
  await api.call(changeProfile, { params, body: { config: budget('80') } });
  const problem = await api.refusal(restoreConfig, { params: { ...params, version: 5 } });
  assert.deepEqual([problem.status, problem.errors?.[0]?.path], [422, 'config.buy.candleLimit']);
});

test('another strategy: only while disabled; overrides are cleared, positions stay, the audit log holds both', async () => {
  const { profile } = await api.addProfile('Switched', { symbols: ['BTCUSDT'], config: budget('50') });
  const params = { id: profile.id };
  await holdPosition(api.database, { profileId: profile.id, symbol: 'BTCUSDT', quantity: '1', averagePrice: '5' });
  const override = { buy: { candleLimit: 30 } };
  const coin = { ...params, symbol: 'BTCUSDT' };
  await api.call(changeCoin, { params: coin, body: { overrideConfig: override } });
  await api.call(enableProfile, { params });
  const body = { strategyName: 'momentum', config: { ema: { slow: 60 } } };
  assert.equal((await api.refusal(switchStrategy, { params, body })).code, 'conflict');
  await api.database.kysely.updateTable('profiles').set({ enabled: false }).execute();
  const wrong = { strategyName: 'momentum', config: { ema: { slow: 999 } } };
  assert.equal((await api.refusal(switchStrategy, { params, body: wrong })).errors?.[0]?.path, 'config.ema.slow');
  const { profile: after } = await api.call(switchStrategy, { params, body });
  assert.deepEqual([after.strategyName, after.config], ['momentum', body.config]);
  const [coinAfter] = (await api.call(listCoins, { params })).coins;
  assert.deepEqual([coinAfter?.overrideConfig, coinAfter?.position.quantity], [{}, '1']);
  const [row] = await audited('profile.switch-strategy');
  assert.deepEqual(row?.before, {
    strategyName: 'trailing-trade',
    config: budget('50'),
    symbols: [{ symbol: 'BTCUSDT', overrideConfig: override }],
  });
  assert.equal((await api.refusal(restoreConfig, { params: { ...params, version: 1 } })).code, 'conflict');
});

test('a clone is disabled; on its own account it takes no coins, on another it takes them with their overrides', async () => {
  const { profile, account } = await api.addProfile('First', { symbols: ['BTCUSDT'], config: budget('50') });
  const params = { id: profile.id };
  const overrideConfig = { buy: { candleLimit: 30 } };
  await api.call(changeCoin, { params: { ...params, symbol: 'BTCUSDT' }, body: { overrideConfig } });
  await api.call(enableProfile, { params });
  const same = (await api.call(cloneProfile, { params, body: { name: 'Second' } })).profile;
  assert.deepEqual([same.accountId, same.enabled, same.symbols, same.config], [account.id, false, [], budget('50')]);
  assert.equal((await api.refusal(cloneProfile, { params, body: { name: 'Second' } })).code, 'conflict');
  const other = await api.call(createAccount, { body: { name: 'Other', exchangeMode: 'testnet' } });
  const moved = await api.call(cloneProfile, { params, body: { name: 'Second', accountId: other.id } });
  const { coins } = await api.call(listCoins, { params: { id: moved.profile.id } });
  assert.deepEqual(coins[0]?.overrideConfig, overrideConfig);
});

test('an exported profile imports elsewhere the same, a bad file imports nothing', async () => {
  const { profile } = await api.addProfile('Traveller', { symbols: ['BTCUSDT', 'ETHUSDT'], config: budget('50') });
  const file = await api.call(exportProfile, { params: { id: profile.id } });
  assert.deepEqual(Object.keys(file).toSorted(), ['config', 'format', 'name', 'strategyName', 'symbols', 'version']);
  const account = await api.call(createAccount, { body: { name: 'Elsewhere', exchangeMode: 'testnet' } });
  const { profile: copy } = await api.call(importProfile, { body: { accountId: account.id, profile: file } });
  assert.deepEqual(await api.call(exportProfile, { params: { id: copy.id } }), file);
  const [first] = file.symbols;
  assert.ok(first !== undefined);
  const spoilt = { ...first, overrideConfig: { buy: { candleLimit: 5000 } } };
  for (const symbols of [[spoilt], [first, first]]) {
    const body = { accountId: account.id, name: 'Bad', profile: { ...file, symbols } };
    assert.equal((await api.refusal(importProfile, { body })).status, 422);
  }
  const { profiles } = await api.call(listProfiles, {});
  assert.equal(profiles.filter(({ name }) => name === 'Bad').length, 0);
});

test('strategies say what they do and in which words', async () => {
  const { strategies } = await api.call(listStrategies, {});
  const hold = strategies.find(({ name }) => name === 'hold');
  assert.equal(hold?.capabilities.buys, false);
  assert.equal(hold?.reasons['hold-by-design'], 'This strategy never trades; it only watches.');
  assert.equal(strategies.find(({ name }) => name === 'trailing-trade')?.capabilities.buys, true);
});
