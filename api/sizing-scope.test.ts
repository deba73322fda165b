import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { changeCoin, changeProfile, createProfile } from '#api/contract/profiles.ts';
import { BTC, cachePrice, cacheRules, ETH, holdPosition } from '#test/api/test-records.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';

let api: TestApi;
before(async () => {
  api = await openTestApi();
  await api.signUp();
  await cacheRules(api, [BTC, ETH]);
  await cachePrice(api, 'BTCUSDT', '50000');
  await cachePrice(api, 'ETHUSDT', '2000');
});
after(() => api[Symbol.asyncDispose]());

test('a refusal that the setting of one coin causes names the setting of that coin', async () => {
  const { profile } = await api.addProfile('Own amount', { symbols: ['BTCUSDT', 'ETHUSDT'] });
  const { id } = profile;
  const override = JSON.stringify({ buy: { entrySizing: { amount: '1' } } });
  await api.database.kysely
    .updateTable('profile_symbols')
    .set({ override_config: override })
    .where('profile_id', '=', id)
    .where('symbol', '=', 'ETHUSDT')
    .execute();
  const refusal = await api.refusal(changeProfile, { params: { id }, body: { config: {} } });
  assert.deepEqual(
    refusal.errors?.map(({ path }) => path),
    ['symbols.ETHUSDT.buy.entrySizing.amount'],
  );
  assert.match(refusal.errors?.[0]?.message ?? '', /ETHUSDT a buy budget of 1 USDT/);
  const params = { id, symbol: 'ETHUSDT' };
  await api.call(changeCoin, { params, body: { overrideConfig: {} } });
  await api.call(changeProfile, { params: { id }, body: { config: {} } });
});

test('a share of the equity is judged by wallet and positions, and the save says when it cannot be', async () => {
  const { account, profile } = await api.addProfile('Share', { symbols: ['BTCUSDT'] });
  const percent = (share: string) => ({ buy: { entrySizing: { mode: 'percent-of-equity', percent: share } } });
  const save = (share: string) => ({ params: { id: profile.id }, body: { config: percent(share) } });
  assert.deepEqual(
    (await api.call(changeProfile, save('0.5'))).warnings.map(({ message, reason }) => [message, reason]),
    [['order sizing was not verified', 'equity_not_known']],
  );
  const at = api.now().toISOString();
  const balances = { USDT: { free: '50', locked: '50' }, BTC: { free: '0.002', locked: '0' } };
  await api.cache.set(cacheKeys.wallet(account.id), JSON.stringify({ at, keptAt: at, balances }));
  const held = { profileId: profile.id, symbol: 'BTCUSDT', quantity: '0.002', averagePrice: '40000' };
  await holdPosition(api.database, held);
  assert.deepEqual((await api.call(changeProfile, save('0.5'))).warnings, []);
  const { errors } = await api.refusal(changeProfile, save('0.01'));
  assert.equal(errors?.[0]?.path, 'config.buy.entrySizing.percent');
  assert.match(errors?.[0]?.message ?? '', /a buy budget of 2 USDT, from an equity of 200 USDT now/);
  api.advance(61_000);
  assert.equal((await api.call(changeProfile, save('0.01'))).warnings[0]?.reason, 'equity_not_known');
});

test('a basket whose budget buys nothing is refused at that budget', async () => {
  const { account } = await api.addProfile('Basket account');
  const config = { basketBudgetQuote: '2', minTradeQuote: '1', targets: [{ symbol: 'BTCUSDT', weight: '1' }] };
  const body = { accountId: account.id, name: 'Basket', strategyName: 'rebalance', config, symbols: ['BTCUSDT'] };
  const { errors } = await api.refusal(createProfile, { body });
  assert.equal(errors?.[0]?.path, 'config.basketBudgetQuote');
});
