import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createAccount } from '#api/contract/accounts.ts';
import {
  bindCoin,
  changeCoin,
  changeProfile,
  createProfile,
  deleteProfile,
  disableProfile,
  enableProfile,
  lintProfile,
  listCoins,
  listProfiles,
  listStrategies,
  readCoin,
  readProfile,
  unbindCoin,
} from '#api/contract/profiles.ts';
import { addOrder, BTC, cachePrice, cacheRules, ETH, holdPosition, rulesOf } from '#test/api/test-records.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await openTestApi();
  await api.signUp();
});
afterEach(() => api[Symbol.asyncDispose]());

const budget = (amount: string) => ({ buy: { entrySizing: { amount } } });

test('strategies bring their schema and the defaults of the specification', async () => {
  const { strategies } = await api.call(listStrategies, {});
  const trailing = strategies.find(({ name }) => name === 'trailing-trade');
  assert.ok(trailing !== undefined);
  assert.match(JSON.stringify(trailing.defaults), /"candleLimit":60/);
  assert.match(JSON.stringify(trailing.schema), /"maximum":999/);
});

test('a profile is created, changed, enabled, disabled and deleted, each audited with before and after', async () => {
  const { profile, warnings } = await api.addProfile('Coins', { symbols: ['BTCUSDT'], config: budget('50') });
  assert.deepEqual(
    warnings.map(({ message, reason }) => [message, reason]),
    [['order sizing was not verified', 'rules_not_loaded']],
  );
  const params = { id: profile.id };
  assert.deepEqual(await api.call(readProfile, { params }), profile);
  assert.deepEqual((await api.call(listProfiles, {})).profiles, [profile]);
  const renamed = await api.call(changeProfile, { params, body: { name: 'Renamed' } });
  assert.deepEqual([renamed.profile.name, renamed.profile.config], ['Renamed', profile.config]);
  const changed = await api.call(changeProfile, { params, body: { config: budget('60') } });
  assert.deepEqual(changed.profile.config, budget('60'));
  assert.equal((await api.call(enableProfile, { params })).enabled, true);
  assert.equal((await api.call(disableProfile, { params })).enabled, false);
  await api.call(deleteProfile, { params });
  assert.equal((await api.refusal(readProfile, { params })).code, 'not_found');
  const rows = await api.database.kysely
    .selectFrom('audit_logs')
    .selectAll()
    .where('subject', '=', profile.id)
    .orderBy('at')
    .execute();
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['profile.create', 'profile.change', 'profile.change', 'profile.enable', 'profile.disable', 'profile.delete'],
  );
  assert.deepEqual(
    [rows[2]?.before, rows[2]?.after],
    [
      { name: 'Renamed', config: budget('50') },
      { name: 'Renamed', config: budget('60') },
    ],
  );
  assert.ok(rows.every(({ ip }) => ip === 'unknown'));
});

test('a config outside its bounds is refused with every path and nothing is saved', async () => {
  const { profile } = await api.addProfile('Bounds');
  const config = { buy: { candleLimit: 1000, wrong: 1 }, sell: { stopLossPercentage: '1.5' } };
  const problem = await api.refusal(changeProfile, { params: { id: profile.id }, body: { name: 'New', config } });
  assert.equal(problem.status, 422);
  assert.deepEqual(problem.errors?.map(({ path }) => path).toSorted(), [
    'config.buy.candleLimit',
    'config.buy.wrong',
    'config.sell.stopLossPercentage',
  ]);
  assert.deepEqual(await api.call(readProfile, { params: { id: profile.id } }), profile);
  assert.equal(
    (await api.call(changeProfile, { params: { id: profile.id }, body: { config: { buy: { candleLimit: 999 } } } }))
      .profile.name,
    'Bounds',
  );
});

test('a config is linted without being saved; a save returns contradictions as warnings', async () => {
  const { profile } = await api.addProfile('Lint', {});
  const params = { id: profile.id };
  const lint = (config: Record<string, unknown>) => api.call(lintProfile, { params, body: { config } });
  assert.deepEqual(await lint({}), { errors: [], findings: [] });
  assert.deepEqual((await lint({ buy: { candleLimit: 1000 } })).errors, [
    { path: 'buy.candleLimit', message: 'must be at most 999' },
  ]);
  const off = { sell: { enabled: false } };
  const [finding] = (await lint(off)).findings;
  assert.deepEqual([finding?.level, finding?.code, finding?.path], ['warn', 'sell-off-naked', 'sell.enabled']);
  assert.deepEqual((await api.call(readProfile, { params })).config, {});
  const { warnings } = await api.call(changeProfile, { params, body: { config: off } });
  assert.deepEqual(warnings, [
    { code: 'sell-off-naked', message: finding?.message, reason: 'lint', detail: 'sell.enabled' },
  ]);
});

test('unknown strategies, taken names and foreign accounts are refused', async () => {
  const { account } = await api.addProfile('Taken');
  const body = { accountId: account.id, name: 'Taken', strategyName: 'trailing-trade' };
  assert.equal((await api.refusal(createProfile, { body })).code, 'conflict');
  assert.equal(
    (await api.refusal(createProfile, { body: { ...body, strategyName: 'none' } })).errors?.[0]?.path,
    'strategyName',
  );
});

test('a budget that cannot be sold again is refused with the numbers, on save, bind and override', async () => {
  await cacheRules(api, [BTC, ETH]);
  await cachePrice(api, 'BTCUSDT', '50000');
  const { account, profile } = await api.addProfile('Sized', { config: budget('50'), symbols: ['BTCUSDT'] });
  const params = { id: profile.id };
  const small = await api.refusal(changeProfile, { params, body: { config: budget('5') } });
  assert.deepEqual([small.status, small.errors?.[0]?.path], [422, 'config.buy.entrySizing.amount']);
  assert.match(small.detail, /BTCUSDT a buy budget of 5 USDT.*price 50000.*minimum order value is 5 USDT/);
  const override = await api.refusal(changeCoin, {
    params: { ...params, symbol: 'BTCUSDT' },
    body: { overrideConfig: budget('5') },
  });
  assert.equal(override.errors?.[0]?.path, 'overrideConfig.buy.entrySizing.amount');
  const body = { accountId: account.id, name: 'Small', strategyName: 'trailing-trade', config: budget('5') };
  assert.equal((await api.refusal(createProfile, { body: { ...body, symbols: ['BTCUSDT'] } })).status, 422);
  assert.deepEqual((await api.call(readProfile, { params })).config, budget('50'));
  await cachePrice(api, 'ETHUSDT', '2000');
  const { profile: unbound } = await api.addProfile('Unbound', { config: budget('5') });
  const bind = { params: { id: unbound.id }, body: { symbol: 'ETHUSDT' } };
  assert.equal((await api.refusal(bindCoin, bind)).status, 422);
  assert.deepEqual((await api.call(listCoins, { params: { id: unbound.id } })).coins, []);
  const fine = await api.call(changeProfile, { params, body: { config: budget('20') } });
  assert.deepEqual(fine.warnings, []);
});

test('a check that cannot run saves with a warning: config first, then rules, then price', async () => {
  const { profile } = await api.addProfile('Doubts');
  const params = { id: profile.id };
  const bind = async (symbol: string) =>
    (await api.call(bindCoin, { params, body: { symbol } })).warnings.map(({ message, reason }) => {
      assert.equal(message, 'order sizing was not verified');
      return reason;
    });
  assert.deepEqual(await bind('BTCUSDT'), ['rules_not_loaded']);
  api.advance(60_000);
  await cacheRules(api, [BTC, ETH]);
  assert.deepEqual(await bind('ETHUSDT'), ['price_not_cached']);
  const stored = JSON.stringify({ buy: { candleLimit: 1500 } });
  await api.database.kysely.updateTable('profiles').set({ config: stored }).where('id', '=', profile.id).execute();
  await api.call(unbindCoin, { params: { ...params, symbol: 'ETHUSDT' } });
  assert.deepEqual(await bind('ETHUSDT'), ['config_not_parsable']);
  assert.equal((await api.call(listCoins, { params })).coins.length, 2);
  assert.deepEqual((await api.call(readProfile, { params })).config, { buy: { candleLimit: 1500 } });
});

test('an override holds only keys that its strategy knows, also where it removes them, and fills no disk', async () => {
  const { profile } = await api.addProfile('Coins', { symbols: ['BTCUSDT'] });
  const path = `/api/profiles/${profile.id}/symbols/BTCUSDT`;
  const headers = { 'content-type': 'application/json' };
  const junk = 'x'.repeat(50_000);
  const overrides = [
    [`{"${junk}":null}`, `overrideConfig.${junk}`],
    [`{"buy":{"${junk}":null}}`, `overrideConfig.buy.${junk}`],
    [`{"buy":{"__proto__":"${junk}"}}`, 'overrideConfig.buy.__proto__'],
    [`{"constructor":{"prototype":{"a":"${junk}"}}}`, 'overrideConfig.constructor'],
    [`{"sell":{"prototype":[{"__proto__":"${junk}"}]}}`, 'overrideConfig.sell.prototype'],
  ];
  for (const [override = '', field = ''] of overrides) {
    const reply = await api.request('PATCH', path, { headers, body: `{"overrideConfig":${override}}` });
    assert.equal(reply.status, 422, reply.text.slice(0, 300));
    assert.ok(JSON.parse(reply.text).errors[0].path.startsWith(field.slice(0, 60)), reply.text.slice(0, 300));
  }
  const known = { overrideConfig: { buy: { candleLimit: null }, sell: { stopLossPercentage: null } } };
  assert.equal(
    (await api.send(changeCoin, { params: { id: profile.id, symbol: 'BTCUSDT' }, body: known })).status,
    200,
  );
});

test('an override is judged by the merged config, and only for what it changes', async () => {
  const { profile } = await api.addProfile('Merged', { symbols: ['BTCUSDT'] });
  const params = { id: profile.id, symbol: 'BTCUSDT' };
  const save = (overrideConfig: Record<string, unknown>) => api.send(changeCoin, { params, body: { overrideConfig } });
  const refused = JSON.parse((await save({ buy: { candleLimit: 1000 } })).text);
  assert.equal(refused.errors[0].path, 'overrideConfig.buy.candleLimit');
  assert.equal((await save({ buy: { candleLimit: 30 } })).status, 200);
  const stored = JSON.stringify({ buy: { candleLimit: 1500 } });
  await api.database.kysely.updateTable('profiles').set({ config: stored }).where('id', '=', profile.id).execute();
  assert.equal((await save({ sell: { enabled: false } })).status, 200);
  assert.equal((await save({ buy: { candleLimit: 1200 } })).status, 422);
  const { coin } = await api.call(readCoin, { params });
  assert.deepEqual(coin.overrideConfig, { sell: { enabled: false } });
});

test('coins that the venue does not list, are bound already or belong to another profile are refused', async () => {
  await cacheRules(api, [BTC, ETH, rulesOf('BTCUSDC', 'BTC', 'USDC')]);
  const { account, profile } = await api.addProfile('Owner', { symbols: ['BTCUSDT'] });
  const params = { id: profile.id };
  assert.deepEqual((await api.refusal(bindCoin, { params, body: { symbol: 'NONEUSDT' } })).errors?.[0]?.path, 'symbol');
  assert.equal((await api.refusal(bindCoin, { params, body: { symbol: 'BTCUSDT' } })).code, 'conflict');
  const body = { accountId: account.id, name: 'Second', strategyName: 'trailing-trade', symbols: ['BTCUSDC'] };
  const problem = await api.refusal(createProfile, { body });
  assert.match(problem.detail, /"Owner" already trades BTC/);
  assert.equal((await api.call(listProfiles, {})).profiles.length, 1);
  const other = await api.call(createAccount, { body: { name: 'Other', exchangeMode: 'testnet' } });
  assert.equal(
    (await api.call(createProfile, { body: { ...body, accountId: other.id } })).profile.symbols[0],
    'BTCUSDC',
  );
});

test('unbinding and deleting wait for positions and live orders, dust does not count', async () => {
  await cacheRules(api, [BTC]);
  await cachePrice(api, 'BTCUSDT', '50000');
  const { account, profile } = await api.addProfile('Held', { symbols: ['BTCUSDT'], config: budget('50') });
  const coin = { profileId: profile.id, symbol: 'BTCUSDT' };
  const params = { id: profile.id, symbol: 'BTCUSDT' };
  await holdPosition(api.database, { ...coin, quantity: '0.002', averagePrice: '48000' });
  const orderId = await addOrder(api.database, { ...coin, accountId: account.id, state: 'unknown' });
  for (const refusal of [await api.refusal(unbindCoin, { params }), await api.refusal(deleteProfile, { params })]) {
    assert.equal(refusal.status, 409);
    assert.match(refusal.detail, /1 open position and 1 live order/);
  }
  const shown = await api.call(readCoin, { params });
  assert.deepEqual(shown.coin.position, {
    quantity: '0.002',
    averagePrice: '48000',
    cost: '96',
    value: '100',
    unrealised: '4',
    realised: '0',
    fees: '0',
    unvaluedFees: 0,
    cycle: 1,
    openedAt: null,
  });
  assert.deepEqual([shown.orders[0]?.id, shown.orders[0]?.averageFillPrice], [orderId, '50000']);
  await api.database.kysely.updateTable('orders').set({ state: 'filled' }).execute();
  await holdPosition(api.database, { ...coin, quantity: '0.00001', averagePrice: '48000' });
  await api.call(unbindCoin, { params });
  assert.deepEqual((await api.call(listCoins, { params: { id: profile.id } })).coins, []);
  assert.equal((await api.refusal(unbindCoin, { params })).code, 'not_found');
  await api.call(deleteProfile, { params });
});

test('names hold no control or invisible characters', async () => {
  const { account, profile } = await api.addProfile('Plain');
  for (const name of ['x\u001b]0;OWNED\u0007', 'two\r\nlines', 'bidi\u202etxt', 'zero\u200bwidth']) {
    const made = { accountId: account.id, name, strategyName: 'hold' };
    const reply = [
      await api.refusal(createProfile, { body: made }),
      await api.refusal(changeProfile, { params: { id: profile.id }, body: { name } }),
      await api.refusal(createAccount, { body: { name, exchangeMode: 'testnet' } }),
    ];
    assert.deepEqual(
      reply.map(({ errors }) => errors),
      Array(3).fill([{ path: 'name', message: 'holds a control character' }]),
    );
  }
});
