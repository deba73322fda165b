import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startScriptedServer } from '#test/exchange/scripted-server.ts';
import { createRateLimiter } from '#exchange/limits.ts';
import { createMarketReader } from '#exchange/read.ts';
import { CandleStore } from '#storage/candles/store.ts';
import { backfillCandles, tryBackfill } from './backfill.ts';

const MINUTE_MS = 60_000;
const START = Date.UTC(2024, 0, 1);
const NOW = START + 2500 * MINUTE_MS + 30_000;
/** A gap in the candles of the exchange. */
const isDown = (minute: number): boolean => minute >= 1200 && minute < 1230;

const row = (minute: number) => [START + minute * MINUTE_MS, '1', '2', '0.5', '1.5', '10', 0];

test('missing candles are fetched in pages, once, without the candle in progress', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'backfill-'));
  const requested: number[] = [];
  await using server = await startScriptedServer(({ path, query }) => {
    if (path === '/api/v3/time') return { body: { serverTime: NOW } };
    const from = Math.ceil((Number(query['startTime']) - START) / MINUTE_MS);
    const to = Math.min(Math.floor((Number(query['endTime']) - START) / MINUTE_MS), 2500);
    requested.push(from);
    const minutes = Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i).filter((m) => !isDown(m));
    return { body: minutes.slice(0, Number(query['limit'])).map(row) };
  });
  const market = createMarketReader({ restUrl: server.url, limiter: createRateLimiter() });
  await market.clock.sync();
  const store = new CandleStore(folder);
  const order = { symbol: 'SOLUSDT', interval: '1m', fromMs: START, toMs: NOW } as const;
  assert.equal(await backfillCandles(market, store, order), 2470);
  assert.deepEqual(requested, [0, 1000, 2030]);
  assert.equal(store.list()[0]?.missing, 30);
  assert.equal(await backfillCandles(market, store, order), 0);
  assert.deepEqual(requested.slice(3), [1200], 'only the gap of the exchange is requested again');
  const wider = { ...order, fromMs: START - 10 * MINUTE_MS, toMs: START + 100 * MINUTE_MS };
  assert.equal(await backfillCandles(market, store, wider), 10);
  assert.deepEqual(requested.slice(4), [-10], 'nothing is requested beyond the window');
  rmSync(folder, { recursive: true });
});

test('workers that share the folder fetch a series once, also after one that died', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'backfill-'));
  let requests = 0;
  await using server = await startScriptedServer(({ path, query }) => {
    if (path === '/api/v3/time') return { body: { serverTime: NOW } };
    requests += 1;
    const from = Math.ceil((Number(query['startTime']) - START) / MINUTE_MS);
    return { body: Array.from({ length: Number(query['limit']) }, (_, i) => row(from + i)) };
  });
  const market = createMarketReader({ restUrl: server.url, limiter: createRateLimiter() });
  await market.clock.sync();
  // A worker that died has left its turn.
  mkdirSync(join(folder, 'SOLUSDT', '1m'), { recursive: true });
  writeFileSync(join(folder, 'SOLUSDT', '1m', 'fetching'), '');
  const order = { symbol: 'SOLUSDT', interval: '1m', fromMs: START, toMs: NOW } as const;
  const added = await Promise.all([1, 2, 3, 4].map(() => backfillCandles(market, new CandleStore(folder), order)));
  assert.deepEqual(
    added.toSorted((a, b) => a - b),
    [0, 0, 0, 2500],
  );
  assert.equal(requests, 3);
  assert.deepEqual(readdirSync(join(folder, 'SOLUSDT', '1m')), ['2024-01.candles']);
  const left = new AbortController();
  const turn = await new CandleStore(folder).turn('SOLUSDT', '1m');
  const waiting = backfillCandles(market, new CandleStore(folder), {
    ...order,
    fromMs: START - MINUTE_MS,
    signal: left.signal,
  });
  left.abort();
  await assert.rejects(waiting, { name: 'AbortError' });
  turn[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

test('a failure is named with coin and interval; an interval that the exchange lacks is no trouble', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'backfill-'));
  await using server = await startScriptedServer(({ path, query }) => {
    if (path === '/api/v3/time') return { body: { serverTime: NOW } };
    if (query['interval'] === '1m') return { status: 400, body: { code: -1120, msg: 'Invalid interval.' } };
    return { status: 400, body: { code: -1121, msg: 'Invalid symbol.' } };
  });
  const market = createMarketReader({ restUrl: server.url, limiter: createRateLimiter() });
  await market.clock.sync();
  const lines: string[] = [];
  const log = {
    info: (_fields: object, message: string) => lines.push(`info ${message}`),
    warn: (_fields: object, message: string) => lines.push(`warn ${message}`),
  };
  const source = { market, store: new CandleStore(folder), log };
  const order = { symbol: 'SOLUSDT', fromMs: START, toMs: NOW };
  assert.equal(await tryBackfill(source, { ...order, interval: '1m' }), 'The exchange has no 1m candles of SOLUSDT.');
  assert.equal(await tryBackfill(source, { ...order, interval: '1h' }), 'Invalid symbol.');
  assert.deepEqual(lines, [
    'info The exchange has no 1m candles of SOLUSDT.',
    'warn The 1h candles of SOLUSDT could not be fetched',
  ]);
  rmSync(folder, { recursive: true });
});
