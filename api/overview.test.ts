import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { after, before, test } from 'node:test';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { readCoinDay } from '#api/contract/overview.ts';
import { enableProfile } from '#api/contract/profiles.ts';
import { readDashboard } from '#api/contract/records.ts';
import { changeAccountRisk } from '#api/contract/risk.ts';
import { saveEquity } from '#storage/history/equity.ts';
import { addFill, BTC, cachePrice, cacheRules, ETH, holdPosition } from '#test/api/test-records.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';

const DAY_MS = 86_400_000;
let api: TestApi;
before(async () => {
  api = await openTestApi();
  await api.signUp();
});
after(() => api[Symbol.asyncDispose]());

const card = async (id: string) => {
  const found = (await api.call(readDashboard, {})).accounts.find((account) => account.id === id);
  assert.ok(found !== undefined);
  return found;
};

test('the figures of an account come from one moment: P&L today, exposure, stops, drawdown and limits', async () => {
  const { account, profile } = await api.addProfile('Figures', { symbols: ['BTCUSDT', 'ETHUSDT'] });
  await api.call(enableProfile, { params: { id: profile.id } });
  await cacheRules(api, [BTC, ETH]);
  await cachePrice(api, 'BTCUSDT', '50000');
  await cachePrice(api, 'ETHUSDT', '2000');
  const at = api.now().toISOString();
  const balances = {
    USDT: { free: '900', locked: '20' },
    BTC: { free: '0.002', locked: '0' },
  };
  await api.cache.set(cacheKeys.wallet(account.id), JSON.stringify({ at, keptAt: at, balances, takerFee: 0.00075 }));
  const owner = { accountId: account.id, profileId: profile.id, symbol: 'BTCUSDT' };
  await holdPosition(api.database, { ...owner, quantity: '0.002', averagePrice: '49000' });
  await addFill(api.database, { ...owner, realised: '3', at: api.now() });
  const state = {
    at,
    decision: { kind: 'nothing', reason: 'hold', sentence: 'Holding.', numbers: {} },
    approval: { kind: 'not-needed' },
    plan: [{ name: 'stop', price: '45000' }],
  };
  await api.cache.set(cacheKeys.coinState(profile.id, 'BTCUSDT'), JSON.stringify(state));
  // The day before: the position was worth 4 more than it cost, after a high of 50 more.
  const before = (days: number): Date => new Date(api.now().getTime() - days * DAY_MS);
  for (const [days, price] of [
    [3, '74000'],
    [2, '51000'],
  ] as const) {
    const unused = { positionValue: '0', positionCost: '0' };
    await saveEquity(api.database, { profileId: profile.id, at: before(days), ...unused, prices: { BTCUSDT: price } });
  }
  for (const [days, realised] of [
    [4, 0],
    [0, 3],
  ] as const)
    await api.database.pool.query(
      `insert into position_history values ($1, $2, 'BTCUSDT', $3, $4, 0.002, 98, 0, 1, true, 0, 0, $5, 0, 0)`,
      [account.id, profile.id, before(days), 10 - days, realised],
    );
  await api.call(changeAccountRisk, { params: { id: account.id }, body: { asset: 'USDT', exposure: '200' } });

  const figures = await card(account.id);
  // Equity 1,020; unrealised 100 - 98 = 2 now and 4 at midnight; realised 3 today: 1 in all.
  assert.equal(figures.equity, '1020');
  assert.deepEqual(figures.pnlToday, { amount: '1', share: 1 / 1019 });
  assert.deepEqual([figures.unrealised, figures.exposure, figures.locked], ['2', '100', '20']);
  assert.deepEqual([figures.positions, figures.unpriced], [1, 0]);
  // 0.002 at 45,000 is 90, after the fee of the account, 0.075 %, 89.9325, against a cost of 98.
  assert.deepEqual(figures.stops, { kept: 1, onExchange: 0, result: '-8.0675' });
  assert.ok(figures.drawdown !== null && figures.drawdown.share < -0.04 && !figures.drawdown.isAtHigh);
  assert.deepEqual(figures.limits, [
    {
      ...{ limit: 'exposure', used: '98 USDT', most: '200 USDT', share: 0.49, blocked: false },
      ...{ name: account.name, profileId: null },
    },
  ]);
});

test('a trade is told with its filled orders', async () => {
  const { account, profile } = await api.addProfile('Traded', { symbols: ['BTCUSDT'] });
  const owner = { accountId: account.id, profileId: profile.id, symbol: 'BTCUSDT' };
  await addFill(api.database, { ...owner, realised: '1.5', at: api.now() });
  await api.database.kysely
    .insertInto('closed_cycles')
    .values({
      ...{ profile_id: profile.id, symbol: 'BTCUSDT', cycle: 1, net: '1.5', exit_reason: 'exit-trail' },
      ...{ opened_at: new Date(api.now().getTime() - DAY_MS), closed_at: api.now() },
    })
    .execute();
  const { trades } = await api.call(readDashboard, {});
  const trade = trades.find(({ profileId }) => profileId === profile.id);
  assert.deepEqual([trade?.net, trade?.exitReason, trade?.closedAt], ['1.5', 'exit-trail', api.now().toISOString()]);
  assert.deepEqual(
    trade?.steps.map(({ side, quantity, price }) => [side, quantity, price]),
    [['sell', '0.002', '50000']],
  );
});

test('the day of a coin has its change and the closes of its hours', async () => {
  const hours = Array.from({ length: 24 }, (_, i) => 100 + i);
  const exchange: RequestListener = (request, response) => {
    response.setHeader('content-type', 'application/json');
    if (!(request.url ?? '').includes('klines')) return void response.end('{"serverTime":1700000000000}');
    const rows = hours.map((open, i) => [
      i * 3_600_000,
      open,
      open,
      open,
      open + 1,
      1,
      (i + 1) * 3_600_000 - 1,
      1,
      1,
      1,
      1,
      0,
    ]);
    response.end(JSON.stringify(rows.map((row) => row.map((value, at) => (at > 0 && at < 6 ? String(value) : value)))));
  };
  await using own = await openTestApi({ exchange });
  await own.signUp();
  const { profile } = await own.addProfile('Day', { symbols: ['BTCUSDT'] });
  const day = await own.call(readCoinDay, { params: { id: profile.id, symbol: 'BTCUSDT' } });
  assert.deepEqual([day.closes.length, day.closes[0], day.change], [24, 101, 0.24]);
});

test('without the exchange the day of a coin is empty', async () => {
  const { profile } = await api.addProfile('No day', { symbols: ['BTCUSDT'] });
  const day = await api.call(readCoinDay, { params: { id: profile.id, symbol: 'BTCUSDT' } });
  assert.deepEqual(day, { change: null, closes: [] });
});
