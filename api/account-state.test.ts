import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { acquireLease } from '#storage/postgres/leases.ts';
import { listAccountOrders, readAccountHealth } from '#api/contract/account-state.ts';
import { setProfileKillSwitch } from '#api/contract/halts.ts';
import { listTickers } from '#api/contract/market.ts';
import { changeAccountRisk } from '#api/contract/risk.ts';
import { addFill, addOrder, BTC, cachePrice, cacheRules, holdPosition } from '#test/api/test-records.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';

let api: TestApi;
before(async () => {
  api = await openTestApi();
  await api.signUp();
});
after(() => api[Symbol.asyncDispose]());

test('the health of an account: worker, halts, limits that are near, what is open and what was earned today', async () => {
  const { account, profile } = await api.addProfile('Healthy', { symbols: ['BTCUSDT'] });
  const other = await api.addProfile('Elsewhere');
  const params = { id: account.id };
  const before = await api.call(readAccountHealth, { params });
  assert.deepEqual([before.worker, before.halts, before.nearLimits, before.positions], [null, [], [], 0]);

  await cacheRules(api, [BTC]);
  const sha = { sha: 'abc', bootedAt: api.now().toISOString() };
  await acquireLease(api.database, { accountId: account.id, holder: 'slot-1', ttlMs: 60_000 });
  await api.cache.set(cacheKeys.heartbeat('slot-1'), JSON.stringify(sha));
  const owner = { accountId: account.id, profileId: profile.id, symbol: 'BTCUSDT' };
  await holdPosition(api.database, { ...owner, quantity: '0.002', averagePrice: '50000' });
  await addOrder(api.database, { ...owner, state: 'unknown' });
  await addFill(api.database, { ...owner, realised: '-8.5', at: api.now() });
  await api.call(changeAccountRisk, { params, body: { asset: 'USDT', dailyLoss: '10' } });
  for (const { id } of [profile, other.profile])
    await api.call(setProfileKillSwitch, { params: { id }, body: { engaged: true, reason: 'a look' } });

  const health = await api.call(readAccountHealth, { params });
  assert.deepEqual(health.worker, { slot: 'slot-1', ...sha });
  assert.deepEqual(
    health.halts.map(({ name, reason }) => [name, reason]),
    [['Healthy', 'a look']],
    'the halt of another account is not shown',
  );
  assert.deepEqual(health.todayRealised, [{ quoteAsset: 'USDT', realised: '-8.5' }]);
  assert.deepEqual(
    health.nearLimits.map(({ limit, blocked, name }) => [limit, blocked, name]),
    [['dailyLoss', false, account.name]],
  );
  assert.deepEqual([health.positions, health.orders], [1, { live: 1, unknown: 1, orphans: 0 }]);
});

test('orders of an account, by state, profile and coin, page after page', async () => {
  const { account, profile } = await api.addProfile('Ordering');
  const owner = { accountId: account.id, profileId: profile.id };
  const ids: string[] = [];
  for (const state of ['filled', 'open', 'cancelled', 'unknown', 'filled'] as const)
    ids.push(await addOrder(api.database, { ...owner, symbol: state === 'open' ? 'ETHUSDT' : 'BTCUSDT', state }));
  const read = (query: Record<string, string | number>) =>
    api.call(listAccountOrders, { params: { id: account.id }, query });
  const idsOf = ({ rows }: Awaited<ReturnType<typeof read>>) => rows.map(({ id }) => id);
  assert.deepEqual(idsOf(await read({})), ids.toReversed());
  assert.deepEqual(idsOf(await read({ state: 'live' })), [ids[3], ids[1]]);
  assert.deepEqual(idsOf(await read({ state: 'final', symbol: 'BTCUSDT' })), [ids[4], ids[2], ids[0]]);
  assert.deepEqual(idsOf(await read({ profileId: (await api.addProfile('Idle')).profile.id })), []);
  const first = await read({ limit: 3 });
  const second = await read({ limit: 3, cursor: first.nextCursor ?? '' });
  assert.deepEqual([...idsOf(first), ...idsOf(second)], ids.toReversed());
  assert.equal(second.nextCursor, null);
});

test('tickers are the cached prices of the venue, all or those that are named', async () => {
  const { account } = await api.addProfile('Watching');
  await cachePrice(api, 'ETHUSDT', '3000.50');
  await cachePrice(api, 'BTCUSDT', '50000');
  const read = (query: object) => api.call(listTickers, { query: { accountId: account.id, ...query } });
  const pricesOf = ({ tickers }: Awaited<ReturnType<typeof read>>) =>
    tickers.map(({ symbol, price }) => [symbol, price]);
  assert.deepEqual(pricesOf(await read({})), [
    ['BTCUSDT', '50000'],
    ['ETHUSDT', '3000.5'],
  ]);
  assert.deepEqual(pricesOf(await read({ symbols: 'ETHUSDT,XRPUSDT' })), [['ETHUSDT', '3000.5']]);
});
