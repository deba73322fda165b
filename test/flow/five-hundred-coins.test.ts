import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { control } from '#test/paper/test-server.ts';
import { openAccountBench } from './account-bench.ts';
import { MARKET_START, writeSwingingCandles } from './candles.ts';
import { until } from './until.ts';

const COINS = Array.from({ length: 500 }, (_, index) => `C${index}USDT`);
const WEIGHT_LIMIT = 6_000;
const logged = z.array(
  z.object({
    ...{ atMs: z.number(), method: z.string(), path: z.string(), status: z.number(), weight: z.number() },
    ...{ headers: z.array(z.string()), params: z.array(z.string()) },
  }),
);

test('an account with 500 coins starts within the limits of the exchange, and no candle of them is missed', async () => {
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tradewind-many-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  for (const [seed, symbol] of COINS.entries()) writeSwingingCandles(folder, 180, { symbol, seed });
  const clock = { kind: 'virtual', startMs: MARKET_START + 7_200_000 } as const;
  const on = resources.use(await openAccountBench({ symbols: COINS, source: { kind: 'replay', folder }, clock }));
  await until('all streams', () => on.marketEvents.some(({ kind }) => kind === 'connected'));
  const before = on.fed.length;
  await on.control('POST', '/clock/advance', { ms: 120_000 });
  await until('two candles of each coin', () => on.fed.length === before + 2 * COINS.length);
  assert.ok(!on.marketEvents.some(({ kind }) => kind === 'disconnected'));

  const requests = logged.parse(await control(on.paper, 'GET /log'));
  assert.ok(requests.filter(({ path }) => path === '/api/v3/klines').length >= COINS.length);
  const weights = new Map<number, number>();
  for (const { atMs, weight } of requests) {
    const minute = Math.floor(atMs / 60_000);
    weights.set(minute, (weights.get(minute) ?? 0) + weight);
  }
  assert.ok(Math.max(...weights.values()) <= WEIGHT_LIMIT, JSON.stringify([...weights]));
  for (const { method, path, status, headers, params } of requests) {
    assert.ok(status < 400, `${path} was answered with ${status}`);
    assert.ok(!/withdraw|transfer|sapi/.test(path), path);
    const carriesKey = headers.some((header) => header.toLowerCase() === 'x-mbx-apikey');
    if (method !== 'WS') assert.equal(carriesKey, params.includes('signature'), path);
  }
});
