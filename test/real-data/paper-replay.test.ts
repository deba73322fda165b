import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { requireDecimal, toNumber } from '#core/amount/decimal.ts';
import { clientOf, type Key, listenTo, pick } from '#test/paper/client.ts';
import type { PaperExchange } from '#paper/server.ts';
import { control, startTestServer } from '#test/paper/test-server.ts';
import { totalsOf } from '#paper/exchange/balances.ts';

const folder = join(import.meta.dirname, '../../../shared/data/candles/timealiver-binance-spot');
const skip = existsSync(folder) ? false : `needs recorded candles in ${folder}, and there are none`;
const ann: Key = { apiKey: 'ann-key', secret: 'ann-secret' };
const FROM_MS = Date.UTC(2022, 5, 1);
const DAY_MS = 86_400_000;

const start = (): Promise<PaperExchange> =>
  startTestServer([{ name: 'ann', ...ann, balances: { USDT: '100000' } }], {
    ...{ source: { kind: 'replay', folder }, fromMs: FROM_MS, clock: { kind: 'virtual', startMs: FROM_MS } },
  });
const advance = (paper: PaperExchange, ms: number): Promise<unknown> => control(paper, 'POST /clock/advance', { ms });

test('a day of recorded minutes streams as the recorded candles', { skip }, async () => {
  await using paper = await start();
  await using socket = await listenTo(`${paper.wsUrl}/ws/btcusdt@kline_1m/btcusdt@kline_1h`);
  await advance(paper, DAY_MS);
  const last = FROM_MS + DAY_MS - 3_600_000;
  await socket.next(
    (frame) => pick(frame, 'k.x') === true && pick(frame, 'k.i') === '1h' && pick(frame, 'k.t') === last,
  );
  for (const { interval, count } of [
    { interval: '1m', count: 1440 },
    { interval: '1h', count: 24 },
  ]) {
    const streamed = socket.frames.filter((frame) => pick(frame, 'k.i') === interval && pick(frame, 'k.x') === true);
    assert.equal(streamed.length, count);
    const params = { symbol: 'BTCUSDT', interval, startTime: String(FROM_MS), limit: '1000' };
    const rest = await clientOf(paper.url)('GET /api/v3/klines', params);
    assert.ok(Array.isArray(rest.body));
    const numbers = ['t', 'o', 'h', 'l', 'c'].map((name) => `k.${name}`);
    for (const [index, row] of rest.body.slice(0, count).entries()) {
      assert.deepEqual(
        numbers.map((path) => pick(streamed[index], path)),
        row.slice(0, 5),
      );
    }
  }
});

test('a limit below the market fills in the minute whose low goes through it', { skip }, async () => {
  await using paper = await start();
  const recorded = paper.venue.source.candles('BTCUSDT', FROM_MS, FROM_MS + DAY_MS);
  const limit = Math.min(...recorded.low) + 50;
  const minute = recorded.low.findIndex((low) => low < limit);
  const params = {
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    timeInForce: 'GTC',
    quantity: '0.1',
    price: limit.toFixed(2),
  };
  const placed = await clientOf(paper.url)('POST /api/v3/order', params, ann);
  assert.equal(pick(placed.body, 'status'), 'NEW');
  await advance(paper, DAY_MS);
  const trades = await clientOf(paper.url)('GET /api/v3/myTrades', { symbol: 'BTCUSDT' }, ann);
  const filledMs = Number(pick(trades.body, '0.time'));
  const openMs = recorded.openMs[minute] ?? 0;
  assert.ok(filledMs >= openMs && filledMs < openMs + 60_000, `filled at ${new Date(filledMs).toISOString()}`);
  assert.equal(toNumber(requireDecimal(String(pick(trades.body, '0.price')))), Number(limit.toFixed(2)));
  assert.ok(totalsOf(paper.venue.engine.balances.rows()).every((total) => total.difference === 0n));
});
