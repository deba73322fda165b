import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeDiscovery, listDiscoveryCycles, readDiscovery } from '#api/contract/discovery.ts';
import { readMarketTrend, readRatings } from '#api/contract/market.ts';
import { openTestApi } from '#test/api/test-api.ts';
import { parseEnvironment } from '#core/installation/env.ts';
import { ORDER_TIMING } from '#core/order/order-timing.ts';
import { createMarketReader } from '#exchange/read.ts';
import { startPaper } from '#paper/server.ts';
import { discover } from '#worker/jobs/discover.ts';
import { createVenues } from '#worker/venues.ts';

/** Every listed coin passes, so that the outcome does not depend on the invented market. */
const EASY = {
  ...{ enabled: true, minPairVolume: 0, minAssetVolume: 0, maxSpreadPercent: 100, changeMinPercent: -100 },
  ...{ rankTopPercent: 100, rankExcludeTopPercent: 0, minAgeDays: 1, adxMin: 0, volumeMultiple: 0 },
};

/** The api and what the job needs, over one paper exchange. */
async function openLooking(stack: AsyncDisposableStack) {
  const options = { source: { kind: 'synthetic' }, clock: { kind: 'real' }, speed: 1, accounts: [], seed: 7 } as const;
  const paper = stack.use(await startPaper({ ...options, port: 0, controlPort: 0 }));
  const openMarket = () => createMarketReader({ restUrl: paper.url });
  const api = stack.use(await openTestApi({ openMarket }));
  await api.signUp();
  const { cache, database } = api;
  const env = parseEnvironment({
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x',
    TESTNET_REST_URL: paper.url,
    PAPER_URL: paper.url,
  });
  const announcer = {
    announce: () => undefined,
    price: () => undefined,
    forgetCoin: () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const onFailure = (error: unknown): never => assert.fail(String(error));
  const venues = stack.use(createVenues({ env, cache, announcer, timing: ORDER_TIMING, onFailure }));
  const warn = (fields: object): never => assert.fail(JSON.stringify(fields));
  const log = { info: () => undefined, warn, error: warn };
  return { api, database, context: { database, cache, env, log, announcer, venues } };
}

test('coins are looked for on the exchange, proposed and never bound; trend and ratings come from the same market', async () => {
  await using stack = new AsyncDisposableStack();
  const { api, database, context } = await openLooking(stack);
  const { account, profile } = await api.addProfile('Looking', { symbols: ['BTCUSDT'] });
  const params = { id: profile.id };
  assert.equal((await api.call(readDiscovery, { params })).health.state, 'off');
  const wrong = await api.refusal(changeDiscovery, { params, body: { rankTopPercent: 3 } });
  assert.deepEqual([wrong.status, wrong.errors?.[0]?.path], [422, 'rankExcludeTopPercent']);
  assert.equal((await api.call(changeDiscovery, { params, body: EASY })).health.state, 'waiting');
  assert.equal(await api.call(readMarketTrend, { params: { id: account.id } }), null);

  await discover(context);
  await discover(context);
  const { rows } = await api.call(listDiscoveryCycles, { params });
  assert.equal(rows.length, 1, 'the next round is due after a quarter of an hour');
  assert.deepEqual(rows[0]?.market.map(({ stage }) => stage).slice(0, 3), ['quoted', 'trading', 'not-money']);
  const found = await api.call(readDiscovery, { params });
  assert.deepEqual([found.health.state, found.slots.used, found.config.maxCoins], ['ok', 1, 5]);
  assert.deepEqual(
    found.coins.map(({ symbol }) => symbol),
    ['BTCUSDT'],
  );
  const judged = rows[0]?.coins ?? [];
  assert.ok(
    judged.length > 1 && judged.every(({ sentence }) => !sentence.includes('{')),
    'every outcome is a sentence',
  );
  const proposed = judged.filter(({ outcome }) => outcome === 'proposed').map(({ symbol }) => symbol);
  assert.deepEqual(
    found.proposals.filter(({ kind }) => kind === 'add').map(({ symbol }) => symbol),
    proposed,
  );
  const bound = await database.kysely.selectFrom('profile_symbols').select('symbol').execute();
  assert.deepEqual(bound, [{ symbol: 'BTCUSDT' }], 'nothing is bound by itself');

  const trend = await api.call(readMarketTrend, { params: { id: account.id } });
  assert.deepEqual(
    trend?.leaders.map(({ symbol }) => symbol),
    ['BTCUSDT', 'ETHUSDT'],
  );
  assert.ok(trend !== null && trend.breadth.all >= 2 && trend.breadth.up <= trend.breadth.all);
  const { ratings } = await api.call(readRatings, { params, query: { intervals: '1m,1h' } });
  assert.deepEqual(
    ratings.map(({ interval, problem }) => [interval, problem]),
    [
      ['1m', null],
      ['1h', null],
    ],
  );
  assert.ok(ratings.every(({ label, score }) => label !== null && score !== null && Math.abs(score) <= 1));
  assert.equal((await api.refusal(readRatings, { params, query: { intervals: '1h,often' } })).status, 422);
  api.advance(46 * 60_000);
  assert.equal((await api.call(readDiscovery, { params })).health.state, 'stale');
});
