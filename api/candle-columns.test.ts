import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { decodeColumns } from '#core/market/candle-planes.ts';
import { CandleStore } from '#storage/candles/store.ts';
import { readCandleColumns } from '#api/contract/market.ts';
import { cookieOf, EMAIL, openTestApi, PASSWORD, type TestApi } from '#test/api/test-api.ts';
import { signIn } from '#api/contract/session.ts';

const MINUTE_MS = 60_000;
const YEAR = 365 * 1440;
const FROM_MS = Date.UTC(2024, 0, 1);
const folder = mkdtempSync(join(tmpdir(), 'columns-'));
let api: TestApi;
before(async () => {
  api = await openTestApi({ candleDir: folder });
  await api.signUp();
});
after(async () => {
  await api[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Candles of a walk, minute by minute. */
function yearOf(rows: number) {
  let price = 4_000_000;
  const column = (make: (row: number) => number) => Float64Array.from({ length: rows }, (_, row) => make(row));
  const close = column((row) => (price += ((row * 7919) % 101) - 50) / 100);
  const open = column((row) => close[row - 1] ?? 40_000);
  const high = column((row) => Math.max(open[row] ?? 0, close[row] ?? 0) + 0.5);
  const low = column((row) => Math.min(open[row] ?? 0, close[row] ?? 0) - 0.5);
  const openMs = column((row) => FROM_MS + row * MINUTE_MS);
  return { openMs, open, high, low, close, volume: column((row) => (row % 1000) / 1000) };
}

const ask = async (
  query: { profileId: string; from: string; to: string } | { accountId: string; from: string; to: string },
  cookie = api.cookie,
) => {
  const search = new URLSearchParams({ symbol: 'BTCUSDT', interval: '1m', ...query });
  const headers = { origin: 'http://app.test:8080', cookie: cookie ?? '' };
  const response = await fetch(`${api.url}/api/candles/columns?${search}`, { headers });
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
};
const at = (ms: number): string => new Date(ms).toISOString();

test('a year of minutes is one cacheable answer with exact numbers', async () => {
  const { profile } = await api.addProfile('Previewing');
  const columns = yearOf(YEAR);
  new CandleStore(join(folder, 'testnet')).add('BTCUSDT', '1m', columns);
  const { response, bytes } = await ask({
    profileId: profile.id,
    from: at(FROM_MS),
    to: at(FROM_MS + YEAR * MINUTE_MS),
  });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('cache-control'), 'private, max-age=3600');
  const { head, columns: back } = decodeColumns(bytes);
  assert.deepEqual([head.rows, head['state'], head['missing']], [YEAR, 'complete', 0]);
  assert.deepEqual(back, columns);
});

test('missing candles are requested from the worker once; the answer says when the exchange has no more', async () => {
  const { profile } = await api.addProfile('Missing');
  const query = { profileId: profile.id, from: at(FROM_MS - 60 * MINUTE_MS), to: at(FROM_MS + 10 * MINUTE_MS) };
  const headOf = async () => {
    const { response, bytes } = await ask(query);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const { head } = decodeColumns(bytes);
    return [head['state'], head['missing'], head.rows];
  };
  assert.deepEqual(
    [await headOf(), await headOf()],
    [
      ['fetching', 60, 10],
      ['fetching', 60, 10],
    ],
  );
  const { rows } = await api.database.pool.query(`select data from pgboss.job where name = 'fetch-candles'`);
  const span = {
    venue: 'testnet',
    symbol: 'BTCUSDT',
    interval: '1m',
    fromMs: FROM_MS - 60 * MINUTE_MS,
    toMs: FROM_MS + 10 * MINUTE_MS,
  } as const;
  assert.deepEqual(rows, [{ data: span }]);
  await api.cache.set(cacheKeys.candlesFetched(span), JSON.stringify({ toMs: span.toMs, problem: null }));
  assert.deepEqual(await headOf(), ['partial', 60, 10]);
});

test('more than a year of minutes, an empty time and too many requests of a session are refused', async () => {
  const { profile } = await api.addProfile('Refused');
  const query = (fromMs: number, toMs: number) => ({
    query: { profileId: profile.id, symbol: 'BTCUSDT', interval: '1m' as const, from: at(fromMs), to: at(toMs) },
  });
  const long = await api.refusal(readCandleColumns, query(0, FROM_MS));
  assert.deepEqual([long.status, long.errors?.[0]?.path], [422, 'from']);
  assert.equal((await api.refusal(readCandleColumns, query(FROM_MS, FROM_MS))).status, 422);
  const cookie = cookieOf(await api.send(signIn, { body: { email: EMAIL, password: PASSWORD } })) ?? '';
  const request = { profileId: profile.id, from: at(FROM_MS), to: at(FROM_MS + MINUTE_MS) };
  const answers = await Promise.all(Array.from({ length: 31 }, () => ask(request, cookie)));
  const refused = answers.filter(({ response }) => response.status === 429);
  assert.equal(refused.length, 1);
  assert.ok(Number(refused[0]?.response.headers.get('retry-after')) > 0);
});

test('the candles of a coin can be read for an account, before a profile exists', async () => {
  const { account, profile } = await api.addProfile('Choosing');
  const span = { from: at(FROM_MS), to: at(FROM_MS + 10 * MINUTE_MS) };
  const { bytes } = await ask({ accountId: account.id, ...span });
  assert.equal(decodeColumns(bytes).head.rows, 10);
  const wanted = { symbol: 'BTCUSDT', interval: '1m', ...span } as const;
  for (const query of [wanted, { ...wanted, accountId: account.id, profileId: profile.id }])
    assert.equal((await api.refusal(readCandleColumns, { query })).status, 422);
});
