import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type AccountId, newId, type ProfileId } from '#core/ids.ts';
import { NO_LIMITS } from '#core/account/risk.ts';
import {
  changeAccountRisk,
  changeProfileRisk,
  pauseCoin,
  readAccountRisk,
  readProfileRisk,
  resumeCoin,
} from '#api/contract/risk.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';
import { addFill, addOrder, BTC, cacheRules, holdPosition } from '#test/api/test-records.ts';

let api: TestApi;
before(async () => {
  api = await openTestApi();
  await api.signUp();
  await cacheRules(api, [BTC]);
});
after(() => api[Symbol.asyncDispose]());

const audits = (subject: string) =>
  api.database.kysely
    .selectFrom('audit_logs')
    .select(['action', 'before', 'after'])
    .where('subject', '=', subject)
    .orderBy('at')
    .execute();

test('limits are changed one by one, refused whole, and audited with before and after', async () => {
  const { account, profile } = await api.addProfile('Limited');
  const params = { id: account.id };
  assert.deepEqual(await api.call(readAccountRisk, { params }), { limits: NO_LIMITS, standings: [] });
  await api.call(changeAccountRisk, { params, body: { openPositions: 3 } });
  const { limits } = await api.call(changeAccountRisk, { params, body: { asset: 'USDT', dailyLoss: '25.5' } });
  assert.deepEqual(limits, { ...NO_LIMITS, openPositions: 3, asset: 'USDT', dailyLoss: '25.5' });
  await api.call(changeAccountRisk, { params, body: { dailyLoss: '25.5' } });
  const body = { openPositions: 0, exposure: '-1', lossStreak: 21, asset: 'usd' };
  const refused = await api.refusal(changeAccountRisk, { params, body });
  assert.deepEqual(refused.errors?.map(({ path }) => path).toSorted(), [
    'asset',
    'exposure',
    'lossStreak',
    'openPositions',
  ]);
  const uncounted = await api.refusal(changeAccountRisk, { params, body: { asset: null } });
  assert.match(uncounted.detail, /^asset is missing: dailyLoss must be counted in one/);
  assert.deepEqual((await api.call(readAccountRisk, { params })).limits, limits);
  const rows = await audits(`account:${account.id}`);
  assert.deepEqual(
    rows.map(({ action, before: was, after: is }) => [action, was, is]),
    [
      ['risk.change', NO_LIMITS, { ...NO_LIMITS, openPositions: 3 }],
      ['risk.change', { ...NO_LIMITS, openPositions: 3 }, limits],
    ],
  );
  const shown = await api.call(readProfileRisk, { params: { id: profile.id } });
  assert.deepEqual([shown.limits, shown.standings.map(({ scope }) => scope)], [NO_LIMITS, ['account', 'account']]);
  const absent = { id: newId<AccountId>() };
  assert.equal((await api.refusal(changeAccountRisk, { params: absent, body: {} })).code, 'not_found');
  assert.equal((await api.refusal(readProfileRisk, { params: { id: newId<ProfileId>() } })).code, 'not_found');
});

test('the present state says what is used, what refuses buys, why and until when', async () => {
  // The clock of the api is fixed; orders carry the real time.
  api.advance(30_000);
  const { account, profile } = await api.addProfile('Judged', { symbols: ['BTCUSDT'] });
  const owner = { accountId: account.id, profileId: profile.id, symbol: 'BTCUSDT' };
  await holdPosition(api.database, { ...owner, quantity: '0.002', averagePrice: '50000' });
  await api.database.kysely.updateTable('runner_states').set({ first_buy_at: api.now() }).execute();
  await addOrder(api.database, { ...owner, state: 'filled' });
  await addFill(api.database, { ...owner, realised: '-30', at: api.now() });
  await api.call(changeAccountRisk, {
    params: { id: account.id },
    body: { asset: 'USDT', dailyLoss: '30', exposure: '500' },
  });
  const { standings } = await api.call(changeProfileRisk, {
    params: { id: profile.id },
    body: { openPositions: 1, entriesPerMinute: 5 },
  });
  assert.deepEqual(
    standings.map(({ scope, limit, used, most, blocked }) => [scope, limit, used, most, blocked]),
    [
      ['account', 'dailyLoss', '30 USDT', '30 USDT', true],
      ['account', 'exposure', '100 USDT', '500 USDT', false],
      ['profile', 'openPositions', 1, 1, true],
      ['profile', 'entriesPerMinute', 1, 5, false],
    ],
  );
  const [daily] = standings;
  assert.match(
    daily?.sentence ?? '',
    /^Not buying: the account lost 30 USDT today, the limit is 30 USDT. Paused until 2/,
  );
  assert.ok(Date.parse(daily?.until ?? '') > api.now().getTime());
});

test('a coin is paused until a time and resumed, twice is once', async () => {
  const { profile } = await api.addProfile('Paused', { symbols: ['BTCUSDT'] });
  const params = { id: profile.id, symbol: 'BTCUSDT' };
  const in1h = new Date(Date.now() + 3_600_000).toISOString();
  const first = await api.call(pauseCoin, { params, body: { until: in1h, reason: 'news' } });
  assert.deepEqual([first.pause?.until, first.pause?.reason], [in1h, 'news']);
  const again = await api.call(pauseCoin, { params, body: { until: in1h } });
  assert.equal(again.pause?.since, first.pause?.since);
  assert.equal((await api.call(resumeCoin, { params })).pause, null);
  assert.equal((await api.call(resumeCoin, { params })).pause, null);
  const rows = await audits(`${profile.id}:BTCUSDT`);
  assert.deepEqual(
    rows.slice(-4).map(({ action }) => action),
    ['coin.pause', 'coin.pause', 'coin.resume', 'coin.resume'],
  );
  const past = await api.refusal(pauseCoin, { params, body: { until: new Date(0).toISOString() } });
  assert.equal(past.detail, 'until is not in the future.');
  const far = await api.refusal(pauseCoin, { params, body: { until: '2999-01-01T00:00:00Z' } });
  assert.equal(far.detail, 'until is more than a year ahead.');
  const foreign = await api.refusal(pauseCoin, { params: { ...params, symbol: 'ETHUSDT' }, body: { until: in1h } });
  assert.equal(foreign.code, 'not_found');
});
