import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { clientOf, type Key, listenTo, pick } from '#test/paper/client.ts';
import type { PaperOptions } from '#paper/options.ts';
import type { PaperExchange } from '#paper/server.ts';
import { control, startTestServer } from '#test/paper/test-server.ts';

const START_MS = Date.UTC(2026, 2, 3, 10, 0, 30);
const MINUTE_MS = 60_000;
const ann: Key = { apiKey: 'ann-key', secret: 'ann-secret' };

const start = (more: Partial<PaperOptions> = {}): Promise<PaperExchange> =>
  startTestServer([{ name: 'ann', ...ann, balances: { USDT: '1000000', BTC: '10' } }], {
    clock: { kind: 'virtual', startMs: START_MS },
    ...more,
  });
const advance = (paper: PaperExchange, ms: number): Promise<unknown> => control(paper, 'POST /clock/advance', { ms });

const get = async (paper: PaperExchange, path: string, params: Record<string, string>): Promise<unknown> => {
  const answer = await clientOf(paper.url)(`GET /api/v3/${path}`, params);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
};

const rowsAt = (value: unknown, path: string): unknown[] => {
  const rows = pick(value, path);
  assert.ok(Array.isArray(rows), path);
  return rows;
};

type Sides = Record<'bids' | 'asks', Map<string, string>>;
const sidesOf = (snapshot: unknown): Sides => ({
  bids: new Map(rowsAt(snapshot, 'bids').map((row) => [String(pick(row, '0')), String(pick(row, '1'))])),
  asks: new Map(rowsAt(snapshot, 'asks').map((row) => [String(pick(row, '0')), String(pick(row, '1'))])),
});

function applyLevels(side: Map<string, string>, levels: readonly unknown[]): void {
  for (const level of levels) {
    const [price, quantity] = [String(pick(level, '0')), String(pick(level, '1'))];
    if (Number(quantity) === 0) side.delete(price);
    else side.set(price, quantity);
  }
}

const best = (side: Map<string, string>, sign: number): [string, string][] =>
  [...side].toSorted(([a], [b]) => sign * (Number(a) - Number(b))).slice(0, 300);

test('a depth snapshot and the differences after it are a fresh snapshot', async () => {
  await using paper = await start();
  await using stream = await listenTo(`${paper.wsUrl}/ws/btcusdt@depth@100ms`);
  const send = clientOf(paper.url);
  const order = { symbol: 'BTCUSDT', side: 'BUY' };
  await advance(paper, 5000);
  const snapshot = await get(paper, 'depth', { symbol: 'BTCUSDT', limit: '5000' });
  const bid = String(pick(snapshot, 'bids.20.0'));
  await send('POST /api/v3/order', { ...order, type: 'MARKET', quoteOrderQty: '40000' }, ann);
  const limit = { ...order, type: 'LIMIT', timeInForce: 'GTC', quantity: '0.5', price: bid, newClientOrderId: 'rest' };
  await send('POST /api/v3/order', limit, ann);
  await advance(paper, 150);
  await send('DELETE /api/v3/order', { symbol: 'BTCUSDT', origClientOrderId: 'rest' }, ann);
  for (let minutes = 0; minutes < 20; minutes++) {
    await send('POST /api/v3/order', { ...order, side: 'SELL', type: 'MARKET', quantity: '0.3' }, ann);
    await advance(paper, MINUTE_MS);
  }
  const fresh = await get(paper, 'depth', { symbol: 'BTCUSDT', limit: '5000' });
  const [from, to] = [Number(pick(snapshot, 'lastUpdateId')), Number(pick(fresh, 'lastUpdateId'))];
  await stream.next((frame) => Number(pick(frame, 'u')) >= to);

  const sides = sidesOf(snapshot);
  const updates = stream.frames.filter((frame) => Number(pick(frame, 'u')) > from);
  assert.ok(Number(pick(updates[0], 'U')) <= from + 1 && updates.length > 20);
  let last: number | undefined;
  for (const update of updates) {
    if (last !== undefined) assert.equal(pick(update, 'U'), last + 1);
    last = Number(pick(update, 'u'));
    applyLevels(sides.bids, rowsAt(update, 'b'));
    applyLevels(sides.asks, rowsAt(update, 'a'));
  }
  assert.equal(last, to);
  const expected = sidesOf(fresh);
  assert.deepEqual(best(sides.bids, -1), best(expected.bids, -1));
  assert.deepEqual(best(sides.asks, 1), best(expected.asks, 1));
});

test('a clock that stops within the interval of a stream leaves no difference unsent', async () => {
  await using paper = await start();
  const names = ['btcusdt@depth@100ms', 'btcusdt@depth', 'btcusdt@depth5'];
  await using stream = await listenTo(`${paper.wsUrl}/stream?streams=${names.join('/')}`);
  const isToldUpTo = async (id: unknown) => {
    for (const name of names)
      await stream.next(
        (frame) =>
          pick(frame, 'stream') === name && [pick(frame, 'data.u'), pick(frame, 'data.lastUpdateId')].includes(id),
      );
  };
  const depth = () => get(paper, 'depth', { symbol: 'BTCUSDT', limit: '5' });
  // One candle's last trade and the first of the next are a millisecond apart. The clock stops right after them.
  await advance(paper, MINUTE_MS / 2 + 1);
  const afterTrades = pick(await depth(), 'lastUpdateId');
  await isToldUpTo(afterTrades);
  const order = { symbol: 'BTCUSDT', side: 'SELL', type: 'MARKET', quantity: '0.3' };
  assert.equal((await clientOf(paper.url)('POST /api/v3/order', order, ann)).status, 200);
  const afterOrder = pick(await depth(), 'lastUpdateId');
  assert.notEqual(afterOrder, afterTrades);
  await isToldUpTo(afterOrder);
});

const tradeRows = z.array(
  z.object({
    id: z.number(),
    price: z.string(),
    qty: z.string(),
    quoteQty: z.string(),
    time: z.number(),
    isBuyerMaker: z.boolean(),
  }),
);
const aggRows = z.array(
  z.looseObject({
    a: z.number(),
    p: z.string(),
    q: z.string(),
    f: z.number(),
    l: z.number(),
    T: z.number(),
    m: z.boolean(),
  }),
);
const klineRows = z.array(z.array(z.union([z.number(), z.string()])));
const sumOf = (values: readonly string[]): number => values.reduce((sum, value) => sum + Number(value), 0);

test('trades, aggregates, candles and the rolling ticker agree', async () => {
  await using paper = await start();
  const names = ['trade', 'aggTrade'].map((name) => `btcusdt@${name}`).join('/');
  await using stream = await listenTo(`${paper.wsUrl}/stream?streams=${names}`);
  for (let minutes = 0; minutes < 6; minutes++) {
    const order = { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quoteOrderQty: '60000' };
    await clientOf(paper.url)('POST /api/v3/order', order, ann);
    await advance(paper, MINUTE_MS);
  }
  const trades = tradeRows.parse(
    await get(paper, 'historicalTrades', { symbol: 'BTCUSDT', fromId: '0', limit: '1000' }),
  );
  const aggregates = aggRows.parse(await get(paper, 'aggTrades', { symbol: 'BTCUSDT', startTime: '1', limit: '1000' }));
  assert.ok(aggregates.length > 0 && aggregates.length <= trades.length);
  const ids = trades.map((trade) => trade.id);
  assert.deepEqual(
    ids,
    [...new Set(ids)].toSorted((a, b) => a - b),
  );
  for (const agg of aggregates) {
    const parts = trades.filter((trade) => trade.id >= agg.f && trade.id <= agg.l);
    assert.ok(parts.every((trade) => trade.price === agg.p && trade.time === agg.T && trade.isBuyerMaker === agg.m));
    assert.equal(sumOf(parts.map((trade) => trade.qty)).toFixed(8), agg.q);
  }
  assert.equal(
    aggregates.reduce((sum, agg) => sum + trades.filter((trade) => trade.id >= agg.f && trade.id <= agg.l).length, 0),
    trades.length,
  );
  const streamed = (kind: string) => stream.frames.filter((frame) => pick(frame, 'data.e') === kind);
  const lastId = ids.at(-1) ?? 0;
  await stream.next((frame) => pick(frame, 'data.l') === lastId);
  for (const frame of streamed('aggTrade')) {
    const { e: _, E: __, s: ___, ...members } = rowOf(frame);
    assert.deepEqual(
      members,
      aggregates.find((agg) => agg.a === members['a']),
    );
  }
  const openMs = START_MS - 30_000 + MINUTE_MS;
  const klines = klineRows.parse(
    await get(paper, 'klines', { symbol: 'BTCUSDT', interval: '1m', startTime: String(openMs) }),
  );
  assert.equal(klines.length, 6);
  for (const kline of klines) {
    const own = trades.filter((trade) => trade.time >= Number(kline[0]) && trade.time <= Number(kline[6]));
    const prices = own.map((trade) => Number(trade.price));
    assert.deepEqual(
      [kline[1], kline[2], kline[3], kline[4], kline[5], kline[8]],
      [
        own[0]?.price,
        Math.max(...prices).toFixed(8),
        Math.min(...prices).toFixed(8),
        own.at(-1)?.price,
        sumOf(own.map((trade) => trade.qty)).toFixed(8),
        own.length,
      ],
    );
    const quote = sumOf(own.map((trade) => trade.quoteQty));
    assert.ok(Math.abs(Number(kline[7]) - quote) < 1e-4, `${kline[7]} is the worth of ${quote}`);
  }
  const ticker = await get(paper, 'ticker', { symbol: 'BTCUSDT', windowSize: '5m' });
  const from = Number(pick(ticker, 'openTime'));
  assert.equal(from % MINUTE_MS, 0);
  const inside = trades.filter((trade) => trade.time >= from);
  assert.deepEqual(
    [pick(ticker, 'count'), pick(ticker, 'openPrice'), pick(ticker, 'lastPrice'), pick(ticker, 'volume')],
    [inside.length, inside[0]?.price, inside.at(-1)?.price, sumOf(inside.map((trade) => trade.qty)).toFixed(8)],
  );
});

test('a day of trades is its ticker, and its candles add up to it', async () => {
  await using paper = await start({ source: { kind: 'script' } });
  await advance(paper, 25 * 60 * MINUTE_MS);
  for (const nth of Array.from({ length: 12 }, (_, at) => at)) {
    const price = (60_000 + ((nth * 37) % 11) * 10).toFixed(2);
    await control(paper, 'POST /trade', { symbol: 'BTCUSDT', price, quantity: `0.${nth + 1}` });
    const order = { symbol: 'BTCUSDT', side: nth % 3 === 0 ? 'SELL' : 'BUY', type: 'MARKET', quantity: '0.2' };
    await clientOf(paper.url)('POST /api/v3/order', order, ann);
    await advance(paper, 47 * MINUTE_MS);
  }
  const query = { symbol: 'BTCUSDT', limit: '1000' };
  const trades = tradeRows.parse(await get(paper, 'historicalTrades', { ...query, fromId: '0' }));
  assert.ok(trades.length >= 24);
  const prices = trades.map((trade) => Number(trade.price));
  const [volume, quote] = [sumOf(trades.map((trade) => trade.qty)), sumOf(trades.map((trade) => trade.quoteQty))];
  const day = await get(paper, 'ticker/24hr', { symbol: 'BTCUSDT' });
  const members = ['count', 'openPrice', 'highPrice', 'lowPrice', 'lastPrice', 'volume', 'weightedAvgPrice'];
  assert.deepEqual(
    members.map((name) => Number(pick(day, name))),
    [
      ...[trades.length, prices[0], Math.max(...prices), Math.min(...prices), prices.at(-1)],
      ...[volume, quote / volume].map((value) => Number(value.toFixed(8))),
    ],
  );
  for (const interval of ['1m', '1h', '1d']) {
    const startTime = String(trades[0]?.time === undefined ? 0 : trades[0].time - 24 * 60 * MINUTE_MS);
    const klines = klineRows.parse(await get(paper, 'klines', { ...query, interval, startTime }));
    const own = klines.filter((kline) => Number(kline[6]) >= (trades[0]?.time ?? 0));
    assert.equal(sumOf(own.map((kline) => String(kline[8]))), trades.length, interval);
    assert.equal(sumOf(own.map((kline) => String(kline[5]))).toFixed(8), volume.toFixed(8), interval);
  }
});

const rowOf = (frame: unknown): Record<string, unknown> => ({ ...Object(pick(frame, 'data')) });

test('every ticker stream sends the answer of the query once a second', async () => {
  await using paper = await start();
  const names = ['ticker', 'miniTicker', 'ticker_1h', 'avgPrice', 'depth5', 'depth10@100ms'];
  const own = names.map((name) => `ethusdt@${name}`);
  const all = ['!miniTicker@arr', '!ticker_4h@arr'];
  await using stream = await listenTo(`${paper.wsUrl}/stream?streams=${[...own, ...all].join('/')}`);
  await advance(paper, 95_000);
  const of = (name: string): unknown[] => stream.frames.filter((frame) => pick(frame, 'stream') === name);
  await stream.next(
    (frame) => pick(frame, 'stream') === '!ticker_4h@arr' && pick(frame, 'data.0.E') === START_MS + 95_000,
  );
  for (const name of [...own, ...all]) assert.ok(of(name).length > 0, name);

  const day = await get(paper, 'ticker/24hr', { symbol: 'ETHUSDT' });
  const frame = of('ethusdt@ticker').at(-1);
  for (const [short, long] of Object.entries({
    p: 'priceChange',
    P: 'priceChangePercent',
    w: 'weightedAvgPrice',
    x: 'prevClosePrice',
    c: 'lastPrice',
    Q: 'lastQty',
    b: 'bidPrice',
    B: 'bidQty',
    a: 'askPrice',
    A: 'askQty',
    o: 'openPrice',
    h: 'highPrice',
    l: 'lowPrice',
    v: 'volume',
    q: 'quoteVolume',
    O: 'openTime',
    C: 'closeTime',
    F: 'firstId',
    L: 'lastId',
    n: 'count',
  }))
    assert.equal(pick(frame, `data.${short}`), pick(day, long), long);
  assert.deepEqual(Object.keys(Object(day)).length, 21);

  const hour = await get(paper, 'ticker', { symbol: 'ETHUSDT', windowSize: '1h' });
  assert.equal(pick(of('ethusdt@ticker_1h').at(-1), 'data.v'), pick(hour, 'volume'));
  assert.equal(pick(of('ethusdt@ticker_1h').at(-1), 'data.e'), '1hTicker');
  const average = await get(paper, 'avgPrice', { symbol: 'ETHUSDT' });
  assert.equal(pick(of('ethusdt@avgPrice').at(-1), 'data.w'), pick(average, 'price'));
  const depth = await get(paper, 'depth', { symbol: 'ETHUSDT', limit: '5' });
  assert.deepEqual(pick(of('ethusdt@depth5').at(-1), 'data'), depth);
  const rows = rowsAt(of('!miniTicker@arr').at(-1), 'data');
  assert.ok(rows.length >= 25);
  const mini = await get(paper, 'ticker/24hr', { symbol: 'ETHUSDT', type: 'MINI' });
  const eth = rows.find((row) => pick(row, 's') === 'ETHUSDT');
  assert.deepEqual([pick(eth, 'v'), pick(eth, 'c')], [pick(mini, 'volume'), pick(mini, 'lastPrice')]);
});

test('candles of a time zone start at its midnight, weeks on Monday, months on the first', async () => {
  await using paper = await start();
  const opens = async (interval: string, timeZone?: string): Promise<number> =>
    Number(
      pick(
        await get(paper, 'klines', { symbol: 'BTCUSDT', interval, limit: '2', ...(timeZone && { timeZone }) }),
        '1.0',
      ),
    );
  assert.equal(await opens('1d'), Date.UTC(2026, 2, 3));
  assert.equal(await opens('1d', '8'), Date.UTC(2026, 2, 2, 16));
  assert.equal(await opens('1d', '+08:00'), Date.UTC(2026, 2, 2, 16));
  assert.equal(await opens('1d', '-5:30'), Date.UTC(2026, 2, 3, 5, 30));
  assert.equal(await opens('1w'), Date.UTC(2026, 2, 2));
  assert.equal(await opens('1M'), Date.UTC(2026, 2, 1));
  await using stream = await listenTo(`${paper.wsUrl}/ws/btcusdt@kline_1d@+08:00`);
  await advance(paper, 30_000);
  assert.equal(pick(await stream.next(() => true), 'k.t'), Date.UTC(2026, 2, 2, 16));
});

test('a connection accepts 1,024 streams, and refuses more with a message', async () => {
  await using paper = await start();
  await using socket = await listenTo(`${paper.wsUrl}/ws`);
  const names = (count: number) => Array.from({ length: count }, (_, at) => `coin${at}@trade`);
  const ask = (id: number, method: string, params: readonly string[] = []): Promise<unknown> => {
    socket.send({ method, params, id });
    return socket.next((frame) => pick(frame, 'id') === id);
  };
  const msg = 'Invalid request: a connection takes at most 1024 streams';
  assert.deepEqual(await ask(1, 'SUBSCRIBE', names(1025)), { error: { code: 2, msg }, id: 1 });
  assert.deepEqual(await ask(2, 'LIST_SUBSCRIPTIONS'), { result: [], id: 2 });
  assert.deepEqual(await ask(3, 'SUBSCRIBE', names(1024)), { result: null, id: 3 });
  assert.equal(pick(await ask(4, 'SUBSCRIBE', ['btcusdt@trade']), 'error.code'), 2);
});

test('candles finer than those of the market are refused, not acknowledged and silent', async () => {
  await using paper = await start();
  await using socket = await listenTo(`${paper.wsUrl}/ws`);
  socket.send({ method: 'SUBSCRIBE', params: ['btcusdt@trade', 'btcusdt@kline_1s'], id: 1 });
  const msg = 'Invalid interval: this market has no candles of 1s';
  assert.deepEqual(await socket.next((frame) => pick(frame, 'id') === 1), { error: { code: 2, msg }, id: 1 });
  await using named = await listenTo(`${paper.wsUrl}/ws/btcusdt@kline_1s`);
  assert.equal(await named.closed(), 1008);
});
