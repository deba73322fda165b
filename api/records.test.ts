import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import type { ProfileId } from '#core/ids.ts';
import { readWallet } from '#api/contract/accounts.ts';
import {
  exportLogs,
  listActionLogs,
  listCandles,
  listLogs,
  listSymbols,
  readDashboard,
  readTickTrace,
} from '#api/contract/records.ts';
import {
  addFill,
  addLogs,
  addOrder,
  BTC,
  cachePrice,
  cacheRules,
  ETH,
  holdPosition,
  type LogSeed,
} from '#test/api/test-records.ts';
import { openTestApi, problemOf, type TestApi } from '#test/api/test-api.ts';

let api: TestApi;
const requests: string[] = [];
const keyed: string[] = [];
before(async () => {
  api = await openTestApi({
    exchange(request, response) {
      const url = new URL(request.url ?? '/', 'http://exchange.test');
      if (request.headers['x-mbx-apikey'] !== undefined) keyed.push(url.pathname);
      if (url.pathname === '/api/v3/time') return response.end(JSON.stringify({ serverTime: Date.now() }));
      requests.push(url.search);
      if (url.searchParams.get('symbol') !== 'BTCUSDT') {
        return response.writeHead(400).end(JSON.stringify({ code: -1121, msg: 'Invalid symbol.' }));
      }
      const openMs = 1_700_000_040_000;
      return response.end(
        JSON.stringify([[openMs, '1.0', '2.0', '0.5', '1.5', '10.0', openMs + 59_999, '0', 0, '0', '0', '0']]),
      );
    },
  });
  await api.signUp();
});
after(() => api[Symbol.asyncDispose]());

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const seeds = (count: number): LogSeed[] =>
  Array.from({ length: count }, (_, i) => ({
    level: LEVELS[i % 4] ?? 'info',
    msg: i === 5 ? '=HYPERLINK("x"), 100%_sure\n2nd line' : `row ${i}`,
    // Every third row shares its instant with the one before, so that the id decides.
    at: new Date(Date.UTC(2026, 0, 1) + (i - (i % 3 === 1 ? 1 : 0)) * 1000).toISOString(),
    symbol: i % 2 === 0 ? 'BTCUSDT' : 'ETHUSDT',
    ctx: { i, note: i === 7 ? 'Needle' : '' },
  }));

async function everyPage(id: ProfileId, query: Record<string, string | number>): Promise<unknown[]> {
  const rows: unknown[] = [];
  let cursor: string | null = null;
  do {
    const page: { rows: unknown[]; nextCursor: string | null } = await api.call(listLogs, {
      params: { id },
      query: { ...query, ...(cursor === null ? {} : { cursor }) },
    });
    rows.push(...page.rows);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return rows;
}

test('logs: every level without narrowing, each filter, pages without gap or repeat, the export the same rows', async () => {
  const { id } = (await api.addProfile('Logged')).profile;
  await addLogs(api.database, id, seeds(40));
  const params = { id };
  const all = await everyPage(id, { limit: 1000 });
  assert.equal(all.length, 40);
  assert.deepEqual(await everyPage(id, { limit: 7 }), all);
  const count = async (query: Record<string, string>) => (await everyPage(id, query)).length;
  assert.equal(await count({ level: 'debug' }), 10);
  assert.equal(await count({ level: 'debug,error' }), 20);
  assert.equal(await count({ symbol: 'ETHUSDT' }), 20);
  assert.equal(await count({ q: 'needle' }), 1);
  assert.equal(await count({ q: '100%_SURE' }), 1);
  assert.equal(await count({ q: '%' }), 1);
  assert.equal(await count({ from: '2026-01-01T00:00:30Z' }), 10);
  assert.equal(await count({ from: '2026-01-01T00:00:12Z', to: '2026-01-01T00:00:12Z' }), 2);
  for (const query of [{}, { level: 'warn', symbol: 'BTCUSDT' }, { q: 'row 1' }]) {
    const file = await api.send(exportLogs, { params, query });
    assert.equal(file.status, 200);
    const lines = file.text.split('\n').filter((line) => line !== '');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      await everyPage(id, query),
    );
  }
  const feed = await api.call(listActionLogs, { params });
  assert.equal(feed.rows.length, 20);
  assert.ok(feed.rows.every(({ level }) => level === 'warn' || level === 'error'));
});

test('the CSV export is quoted, and formulas in it are text', async () => {
  const { id } = (await api.addProfile('Csv')).profile;
  await addLogs(api.database, id, seeds(6));
  const file = await api.send(exportLogs, { params: { id }, query: { format: 'csv' } });
  assert.match(file.headers.get('content-type') ?? '', /^text\/csv/);
  assert.match(file.headers.get('content-disposition') ?? '', /attachment; filename="logs-.*\.csv"/);
  const lines = file.text.split('\r\n');
  assert.equal(lines.length, 8);
  assert.equal(lines[0], '"id","symbol","level","msg","ctx","count","firstAt","lastAt"');
  assert.match(file.text, /"'=HYPERLINK\(""x""\), 100%_sure\n2nd line"/);
});

test('an export of many rows is whole', async () => {
  const { id } = (await api.addProfile('Many')).profile;
  await addLogs(api.database, id, seeds(2500));
  const file = await api.send(exportLogs, { params: { id } });
  const ids = file.text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).id);
  assert.equal(new Set(ids).size, 2500);
  assert.equal(ids.length, 2500);
});

test('bad filters and cursors are refused by name', async () => {
  const { id } = (await api.addProfile('Bad')).profile;
  for (const [name, value] of [
    ['level', 'info,loud'],
    ['from', 'yesterday'],
    ['cursor', 'abc'],
    ['limit', '0'],
    ['symbol', 'btc'],
  ]) {
    const problem = problemOf(await api.request('GET', `/api/profiles/${id}/logs?${name}=${value}`));
    assert.deepEqual([problem.status, problem.errors?.[0]?.path], [422, name]);
  }
  assert.equal(problemOf(await api.request('GET', `/api/profiles/${id}/logs?from=0000-01-01T00:00:00Z`)).status, 422);
});

test('tick-trace returns the stored texts byte for byte, newest first', async () => {
  const { id } = (await api.addProfile('Traced')).profile;
  const texts = [
    '{ "b":1.0,"a":"ü" , "symbol":"BTCUSDT"}',
    '{"n":1e2,"symbol":"ETHUSDT","n":2}',
    '{"symbol":"BTCUSDT","z":"ETHUSDT"}',
  ];
  await api.cache.append(cacheKeys.tickTrace(id), texts, { cap: 100 });
  const read = async (query: Record<string, string>) => (await api.send(readTickTrace, { params: { id }, query })).text;
  const [oldest, middle, newest] = texts;
  assert.equal(await read({}), `{"entries":[${newest},${middle},${oldest}]}`);
  assert.equal(await read({ symbol: 'BTCUSDT' }), `{"entries":[${newest},${oldest}]}`);
  assert.equal(await read({ symbol: 'ETHUSDT' }), `{"entries":[${middle}]}`);
  assert.equal(await read({ limit: '1', skip: '1' }), `{"entries":[${middle}]}`);
  assert.equal(await read({ symbol: 'BTCUSDT', limit: '1', skip: '1' }), `{"entries":[${oldest}]}`);
  assert.equal(await read({ symbol: 'NONEUSDT' }), '{"entries":[]}');
});

test('candles come from the venue without any key, briefly remembered', async () => {
  const { id } = (await api.addProfile('Charted')).profile;
  const query = { profileId: id, symbol: 'BTCUSDT', interval: '1m', limit: '5' } as const;
  const { candles } = await api.call(listCandles, { query });
  assert.deepEqual(candles, [
    { openMs: 1_700_000_040_000, open: 1, high: 2, low: 0.5, close: 1.5, volume: 10, closed: true },
  ]);
  await api.call(listCandles, { query });
  assert.equal(requests.length, 1);
  await api.call(listCandles, { query: { ...query, before: '2026-01-01T00:00:00Z' } });
  assert.match(requests[1] ?? '', /endTime=1767225599999/);
  assert.equal(
    (await api.refusal(listCandles, { query: { ...query, symbol: 'NONEUSDT' } })).errors?.[0]?.path,
    'symbol',
  );
  assert.deepEqual(keyed, []);
});

test('an exchange that fails is a 502', async () => {
  await using lonely = await openTestApi();
  await lonely.signUp();
  const { id } = (await lonely.addProfile('Lonely')).profile;
  const problem = await lonely.refusal(listCandles, { query: { profileId: id, symbol: 'BTCUSDT', interval: '1m' } });
  assert.deepEqual([problem.status, problem.code], [502, 'exchange_unavailable']);
});

test('symbols, wallet and dashboard show cached data in the main quote asset', async () => {
  const { account, profile } = await api.addProfile('Shown', { symbols: ['BTCUSDT', 'ETHUSDT'] });
  const query = { accountId: account.id };
  assert.deepEqual((await api.call(listSymbols, { query })).symbols, []);
  assert.equal(await api.call(readWallet, { params: { id: account.id } }), null);
  const empty = (await api.call(readDashboard, {})).accounts.find(({ id }) => id === account.id);
  assert.deepEqual([empty?.equity, empty?.walletAt, empty?.marketAt, empty?.realisedToday], [null, null, null, '0']);

  await cacheRules(api, [ETH, BTC]);
  await cachePrice(api, 'BTCUSDT', '50000.10');
  const balances = {
    USDT: { free: '100', locked: '20.5' },
    BTC: { free: '0.1', locked: '0' },
    XYZ: { free: '3', locked: '0' },
  };
  const at = '2026-01-01T00:00:00.000Z';
  await api.cache.set(cacheKeys.wallet(account.id), JSON.stringify({ at, keptAt: at, balances }));
  const clock = { marketMs: Date.UTC(2022, 5, 1, 12), wallMs: api.now().getTime() - 1000, speed: 600 };
  await api.cache.set(cacheKeys.marketClock('testnet'), JSON.stringify(clock));
  await holdPosition(api.database, {
    profileId: profile.id,
    symbol: 'BTCUSDT',
    quantity: '0.1',
    averagePrice: '49000',
  });
  const coin = { accountId: account.id, profileId: profile.id, symbol: 'BTCUSDT' };
  await addFill(api.database, { ...coin, realised: '1.25', at: new Date('2022-06-01T00:00:00Z') });
  await addFill(api.database, { ...coin, realised: '9', at: new Date('2022-05-31T23:59:59Z') });
  const orderId = await addOrder(api.database, { ...coin, state: 'filled' });

  const { symbols } = await api.call(listSymbols, { query });
  assert.deepEqual(
    symbols.map(({ symbol, price }) => [symbol, price]),
    [
      ['BTCUSDT', '50000.1'],
      ['ETHUSDT', null],
    ],
  );
  const wallet = await api.call(readWallet, { params: { id: account.id } });
  assert.deepEqual(Object.fromEntries(wallet?.balances.map(({ asset, value }) => [asset, value]) ?? []), {
    USDT: '120.5',
    BTC: '5000.01',
    XYZ: null,
  });
  const board = await api.call(readDashboard, {});
  const card = board.accounts.find(({ id }) => id === account.id);
  assert.deepEqual(
    [card?.equity, card?.free, card?.quoteAsset, card?.realisedToday, card?.marketAt, card?.replay],
    ['5120.51', '100', 'USDT', '1.25', '2022-06-01T12:10:00.000Z', { speed: 600 }],
  );
  const shown = board.coins.find(({ profileId, symbol }) => profileId === profile.id && symbol === 'BTCUSDT');
  assert.deepEqual(shown?.position, {
    quantity: '0.1',
    averagePrice: '49000',
    cost: '4900',
    value: '5000.01',
    unrealised: '100.01',
    realised: '10.25',
    fees: '0',
    unvaluedFees: 0,
    cycle: 1,
    openedAt: null,
  });
  assert.deepEqual(
    board.fills.map(({ realised }) => realised),
    ['1.25', '9'],
  );
  assert.equal(board.orders[0]?.id, orderId);
});

test('an account has no equity while a coin that a profile trades has no price', async () => {
  const { account, profile } = await api.addProfile('Unpriced', { symbols: ['BTCUSDT'] });
  await api.database.kysely.updateTable('profiles').set({ enabled: true }).where('id', '=', profile.id).execute();
  const at = '2026-01-01T00:00:00.000Z';
  const balances = { USDT: { free: '100', locked: '0' }, BTC: { free: '0.1', locked: '0' } };
  await api.cache.set(cacheKeys.wallet(account.id), JSON.stringify({ at, keptAt: at, balances }));
  const card = async () => (await api.call(readDashboard, {})).accounts.find(({ id }) => id === account.id);
  assert.equal((await card())?.equity, '5100.01');
  await api.cache.delete(cacheKeys.price('testnet', 'BTCUSDT'));
  const unpriced = await card();
  assert.deepEqual([unpriced?.equity, unpriced?.free], [null, '100']);
});

test('an order that still rests is shown however many newer ones there are', async () => {
  const { account, profile } = await api.addProfile('Busy', { symbols: ['BTCUSDT'], config: {} });
  const coin = { accountId: account.id, profileId: profile.id, symbol: 'BTCUSDT' };
  const resting = await addOrder(api.database, { ...coin, state: 'open' });
  for (let i = 0; i < 25; i++) await addOrder(api.database, { ...coin, state: 'filled' });
  const { orders } = await api.call(readDashboard, {});
  assert.deepEqual(
    orders.filter(({ state }) => state === 'open').map(({ id }) => id),
    [resting],
  );
});
