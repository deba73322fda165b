import assert from 'node:assert/strict';
import test from 'node:test';
import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import { type Reaction, startScriptedServer } from '#test/exchange/scripted-server.ts';
import { createRateLimiter } from './limits.ts';
import { createMarketReader } from './read.ts';

const kline = (openMs: number) => [openMs, '1', '2', '0.5', '1.5', '10', openMs + 59_999, '1', 1, '1', '1', '0'];
const ticker = { symbol: 'BTCUSDT', price: '60000.10000000' };
const ANSWERS: Readonly<Record<string, Reaction>> = {
  '/api/v3/time': { body: { serverTime: 1_700_000_030_000 } },
  '/api/v3/klines': { body: [kline(1_699_999_920_000), kline(1_699_999_980_000)] },
  '/api/v3/ticker/price': { body: ticker },
  '/api/v3/exchangeInfo': {
    body: {
      rateLimits: [{ rateLimitType: 'REQUEST_WEIGHT', interval: 'MINUTE', intervalNum: 1, limit: 100 }],
      symbols: [],
    },
  },
};

test('a reader sends no key and marks closed candles by the market clock', async () => {
  await using server = await startScriptedServer(({ path, query }) => {
    const all = path === '/api/v3/ticker/price' && query['symbol'] === undefined;
    return all ? { body: [ticker] } : (ANSWERS[path] ?? { status: 404, body: {} });
  });
  const reader = createMarketReader({ restUrl: server.url, limiter: createRateLimiter() });
  await reader.clock.sync();
  const candles = await reader.candles({
    symbol: 'BTCUSDT',
    interval: '1m',
    limit: 2,
    beforeMs: 1_700_000_040_000,
    fromMs: 5,
  });
  assert.deepEqual(
    candles.map(({ closed }) => closed),
    [true, false],
  );
  assert.equal(formatDecimal(await reader.price('BTCUSDT')), '60000.1');
  assert.deepEqual(await reader.prices(), new Map([['BTCUSDT', requireDecimal('60000.1')]]));
  assert.deepEqual(server.requests.find(({ path }) => path.endsWith('klines'))?.query, {
    symbol: 'BTCUSDT',
    interval: '1m',
    limit: '2',
    startTime: '5',
    endTime: '1700000039999',
  });
  assert.ok(
    server.requests.every(({ headers, rawQuery }) => !('x-mbx-apikey' in headers) && !rawQuery.includes('signature')),
  );
});

test('the weight limit of the exchange information holds from then on', async () => {
  await using server = await startScriptedServer(({ path }) => ANSWERS[path] ?? { status: 404, body: {} });
  const limiter = createRateLimiter();
  const reader = createMarketReader({ restUrl: server.url, limiter });
  assert.deepEqual(await reader.rules(), []);
  const acquire = (weight: number) => limiter.acquire({ priority: 'exit', weight, waitMs: 0 });
  assert.equal(await acquire(79), undefined);
  assert.ok((await acquire(78)) !== undefined);
});

test('a limit beyond one request is refused', async () => {
  const reader = createMarketReader({ restUrl: 'http://127.0.0.1:1' });
  for (const limit of [0, 1_001, 1.5]) {
    await assert.rejects(reader.candles({ symbol: 'BTCUSDT', interval: '1m', limit }), RangeError);
  }
});
