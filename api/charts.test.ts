import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { type Candle, INTERVAL_MS, type Interval } from '#core/market/candle.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import type { MarketPort } from '#core/ports/exchange.ts';
import { addResult, createRun, finishResearch } from '#storage/research/research.ts';
import { readBacktestChart, readCoinChart } from '#api/contract/charts.ts';
import { createAccount } from '#api/contract/accounts.ts';
import { changeProfile, createProfile } from '#api/contract/profiles.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';
import { addOrder, BTC, cacheRules } from '#test/api/test-records.ts';
import { fillWith, storedResultWith } from '#test/harness/stored-result.ts';

const HOUR_MS = 3_600_000;
const BEGIN_MS = Date.UTC(2026, 0, 1);
const NOW_MS = BEGIN_MS + 100.5 * HOUR_MS;
const SYMBOL = 'BTCUSDT';

/** A market that began at a known time and rises by one a candle; the newest candle is open. */
function candlesOf(interval: Interval, { limit, beforeMs = NOW_MS }: { limit: number; beforeMs?: number }): Candle[] {
  const stepMs = INTERVAL_MS[interval];
  const end = Math.min(Math.ceil((beforeMs - BEGIN_MS) / stepMs), Math.ceil((NOW_MS - BEGIN_MS) / stepMs));
  const start = Math.max(0, end - limit);
  return Array.from({ length: Math.max(0, end - start) }, (_, i) => {
    const openMs = BEGIN_MS + (start + i) * stepMs;
    const price = 1000 + start + i;
    const prices = { open: price, high: price + 1, low: price - 1, close: price };
    return { openMs, closeMs: openMs + stepMs, ...prices, volume: 1, closed: openMs + stepMs <= NOW_MS };
  });
}

const market: MarketPort = {
  candles: ({ interval, ...query }) => Promise.resolve(candlesOf(interval, query)),
  rules: () => Promise.resolve([]),
  price: () => Promise.reject(new Error('not read')),
  prices: () => Promise.resolve(new Map()),
  clock: { protocolMs: () => NOW_MS, marketMs: () => NOW_MS, marketSpeed: () => 1, sync: () => Promise.resolve() },
};

const TREND = { candleInterval: '1h', ema: { fast: 2, slow: 3 } };
let api: TestApi;
before(async () => {
  api = await openTestApi({ openMarket: () => market });
  await api.signUp();
});
after(() => api[Symbol.asyncDispose]());

async function trendProfile(name: string) {
  const account = await api.call(createAccount, { body: { name, exchangeMode: 'testnet' } });
  const body = { accountId: account.id, name, strategyName: 'momentum', symbols: [SYMBOL], config: TREND };
  const { profile } = await api.call(createProfile, { body });
  return { accountId: account.id, id: profile.id };
}

const at = (hour: number): string => new Date(BEGIN_MS + hour * HOUR_MS).toISOString();

async function addTrade(
  { accountId, id: profileId }: Awaited<ReturnType<typeof trendProfile>>,
  hours: readonly [number, number],
) {
  const rows = (['buy', 'sell'] as const).map(async (side, i) => ({
    ...{ account_id: accountId, epoch: 1, symbol: SYMBOL, trade_id: newId<string>(), exchange_order_id: '1' },
    order_id: await addOrder(api.database, {
      accountId,
      profileId,
      symbol: SYMBOL,
      side,
      quantity: '1',
      state: 'filled',
    }),
    ...{ profile_id: profileId, side, price: side === 'buy' ? '1030' : '1040', quantity: '1', maker: false },
    ...{ quote_quantity: side === 'buy' ? '1030' : '1040', fee_amount: '0', fee_asset: 'USDT', cycle: 1 },
    ...{ realised: side === 'buy' ? '0' : '10', runner_version: i + 1, at: at(hours[i] ?? 0) },
  }));
  await api.database.kysely
    .insertInto('fills')
    .values(await Promise.all(rows))
    .execute();
  await api.database.kysely
    .insertInto('closed_cycles')
    .values({
      ...{ profile_id: profileId, symbol: SYMBOL, cycle: 1, net: '10', exit_reason: 'exit-trailing-stop' },
      ...{ opened_at: at(hours[0]), closed_at: at(hours[1]) },
    })
    .execute();
}

test('a chart has candles, and one value of each declared line for each candle', async () => {
  await cacheRules(api, [BTC]);
  const { id } = await trendProfile('Lined');
  const page = await api.call(readCoinChart, {
    params: { id, symbol: SYMBOL },
    query: { interval: '1h', limit: '20' },
  });
  assert.deepEqual([page.candles.length, page.candles.at(-1)?.closed, page.beginsMs], [20, false, null]);
  assert.deepEqual(
    page.lines.map(({ label, values }) => [label, values.length]),
    [
      ['EMA 2, fast', 20],
      ['EMA 3, slow', 20],
      ['Trailing stop', 20],
    ],
  );
  // An average of prices that rise by one a candle stays behind by half of its candles less one.
  const [fast, slow] = page.lines.map(({ values }) => values);
  assert.deepEqual([fast?.at(-2), slow?.at(-2)], [1099 - 0.5, 1099 - 1]);
  assert.deepEqual([fast?.at(-1), page.levels['stop']], [null, 'Trailing stop']);
});

test('the open of the first candle is the cursor of older ones, until the exchange has no more', async () => {
  const { id } = await trendProfile('Paged');
  const params = { id, symbol: SYMBOL };
  const opens: number[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 3; page++) {
    const query = { interval: '1h', limit: '40', ...(cursor === undefined ? {} : { before: cursor }) } as const;
    const { candles, beginsMs } = await api.call(readCoinChart, { params, query });
    opens.unshift(...candles.map(({ openMs }) => openMs));
    cursor = new Date(opens[0] ?? 0).toISOString();
    assert.equal(beginsMs, page < 2 ? null : BEGIN_MS);
  }
  assert.deepEqual(
    opens,
    Array.from({ length: 101 }, (_, i) => BEGIN_MS + i * HOUR_MS),
  );
});

test('before the first candle there is nothing, and the chart says where history begins', async () => {
  const { id } = await trendProfile('Empty');
  const query = { interval: '1h', before: at(0) } as const;
  const page = await api.call(readCoinChart, { params: { id, symbol: SYMBOL }, query });
  assert.deepEqual([page.candles, page.beginsMs], [[], BEGIN_MS]);
});

test('fills are marks of the page that has their candle, and the trailing stop lies between them', async () => {
  await cacheRules(api, [BTC]);
  const added = await trendProfile('Traded');
  await addTrade(added, [30.5, 40.5]);
  const params = { id: added.id, symbol: SYMBOL };
  const older = await api.call(readCoinChart, { params, query: { interval: '1h', limit: '50', before: at(50) } });
  assert.deepEqual(
    older.marks.map(({ side, price, net, trade }) => [side, price, net, trade]),
    [
      ['buy', '1030', null, 1],
      ['sell', '1040', '10', 1],
    ],
  );
  const stop = older.lines.find(({ name }) => name === 'stop')?.values ?? [];
  const drawn = stop.flatMap((value, hour) => (value === null ? [] : [hour]));
  assert.deepEqual([drawn[0], drawn.at(-1), drawn.length], [30, 40, 11]);
  const newer = await api.call(readCoinChart, { params, query: { interval: '1h', limit: '20' } });
  assert.deepEqual(newer.marks, []);
});

test('shorter candles repeat the values of the strategy, and a chart without trading rules says why it has no lines', async () => {
  await cacheRules(api, [BTC]);
  const { id } = await trendProfile('Other candles');
  const params = { id, symbol: SYMBOL };
  const short = await api.call(readCoinChart, { params, query: { interval: '15m', limit: '9', before: at(50) } });
  assert.deepEqual(
    short.lines[0]?.values.slice(-5),
    [1048, 1048, 1048, 1048, 1049].map((close) => close - 0.5),
  );
  await api.cache.delete(cacheKeys.rules('testnet'));
  api.advance(60_000);
  const loading = await api.call(readCoinChart, { params, query: { interval: '1h' } });
  assert.match(loading.linesProblem ?? '', /rules of the coin are not loaded/);
});

test('candles far longer than those of the strategy have no lines, and the chart says so', async () => {
  await cacheRules(api, [BTC]);
  const { id } = await trendProfile('Coarse');
  await api.call(changeProfile, { params: { id }, body: { config: { ...TREND, candleInterval: '1m' } } });
  const page = await api.call(readCoinChart, { params: { id, symbol: SYMBOL }, query: { interval: '1d' } });
  assert.deepEqual([page.candles.length, page.lines], [5, []]);
  assert.match(page.linesProblem ?? '', /need 1m candles/);
});

test('a coin that is not bound to the profile has no chart', async () => {
  const { id } = await trendProfile('Unbound');
  const problem = await api.refusal(readCoinChart, { params: { id, symbol: 'ETHUSDT' }, query: { interval: '1h' } });
  assert.equal(problem.code, 'not_found');
});

async function addBacktest(profileId: ProfileId): Promise<string> {
  const { kysely } = api.database;
  const coins = [{ symbol: SYMBOL, config: { ...TREND, ema: { fast: 4, slow: 8 } } }];
  const request = { from: at(0), to: at(60), detailInterval: '1m', venue: 'testnet', balance: '1000', coins };
  const texts = { profileId, strategyName: 'momentum', config: {}, request, warnings: [], fingerprints: {} };
  const runId = await createRun(kysely, texts);
  const fills = [
    fillWith({ price: '1030', at: at(30), side: 'buy', reason: 'entry-cross-up' }),
    fillWith({ price: '1030', at: at(40), side: 'sell', reason: 'exit-trailing-stop', realised: '-2.5' }),
  ];
  await addResult(kysely, runId, { symbol: SYMBOL, result: storedResultWith({ fills }) });
  await finishResearch(kysely, { id: runId, state: 'done' });
  return runId;
}

test('the chart of a backtest has the lines of the tested settings and its fills', async () => {
  await cacheRules(api, [BTC]);
  api.advance(60_000);
  const { id } = await trendProfile('Tested');
  const params = { id, runId: await addBacktest(id) };
  const query = { symbol: SYMBOL, interval: '1h', limit: '40', before: at(60) } as const;
  const page = await api.call(readBacktestChart, { params, query });
  assert.deepEqual(
    page.lines.map(({ label }) => label),
    ['EMA 4, fast', 'EMA 8, slow', 'Trailing stop'],
  );
  assert.deepEqual(
    page.marks.map(({ side, net, orderId }) => [side, net, orderId]),
    [
      ['buy', null, null],
      ['sell', '-2.5', null],
    ],
  );
  const other = await api.refusal(readBacktestChart, { params, query: { ...query, symbol: 'ETHUSDT' } });
  assert.equal(other.errors?.[0]?.path, 'symbol');
});
