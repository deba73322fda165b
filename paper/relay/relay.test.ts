import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '#test/flow/until.ts';
import { clientOf, type Key, listenTo, pick, subscribeTo } from '#test/paper/client.ts';
import type { PaperOptions } from '#paper/options.ts';
import type { PaperExchange } from '#paper/server.ts';
import { control, startTestServer } from '#test/paper/test-server.ts';

const ann: Key = { apiKey: 'ann-key', secret: 'ann-secret' };
const accounts = [{ name: 'ann', ...ann, balances: { USDT: '10000', BTC: '1' } }];
/** The exchange that is followed. It moves only on request. */
const startOther = (more: Partial<PaperOptions> = {}): Promise<PaperExchange> => startTestServer(accounts, more);
const startRelay = (other: Pick<PaperExchange, 'url' | 'wsUrl'>, log: string[] = []): Promise<PaperExchange> =>
  startTestServer(
    accounts,
    { source: { kind: 'relay', restUrl: other.url, streamUrl: other.wsUrl }, clock: { kind: 'real' } },
    (line) => log.push(line),
  );

const query = async ({ url }: PaperExchange, path: string, params: Record<string, string> = {}): Promise<unknown> =>
  (await clientOf(url)(`GET /api/v3/${path}`, params)).body;
const BTC = { symbol: 'BTCUSDT' };

/** Moves the other exchange, second by second, until a condition is true here. */
const moveUntil = (other: PaperExchange, what: string, isDone: () => Promise<boolean>): Promise<true> =>
  until(what, async () => {
    await control(other, 'POST /clock/advance', { ms: 1000 });
    return (await isDone()) || undefined;
  });

test('coins, prices and history are those of the other exchange, which never receives a key', async () => {
  await using other = await startOther();
  await using paper = await startRelay(other);
  const filters = async (exchange: PaperExchange) =>
    pick(await query(exchange, 'exchangeInfo', BTC), 'symbols.0.filters');
  assert.deepEqual(await filters(paper), await filters(other));
  await using api = await listenTo(`${paper.wsUrl}/ws-api/v3`);
  for (const { path, method, params } of [
    { path: 'klines', method: 'klines', params: { ...BTC, interval: '1d', limit: '5' } },
    { path: 'ticker/24hr', method: 'ticker.24hr', params: { symbols: '["BTCUSDT","LTCBTC"]' } },
    { path: 'aggTrades', method: 'trades.aggregate', params: { ...BTC, limit: '5' } },
    { path: 'ticker/price', method: 'ticker.price', params: {} },
    { path: 'klines', method: 'klines', params: { ...BTC, interval: '7m' } },
  ]) {
    const expected = await query(other, path, params);
    assert.deepEqual(await query(paper, path, params), expected);
    api.send({ id: path, method, params });
    const reply = await api.next((frame) => pick(frame, 'id') === path);
    assert.deepEqual(pick(reply, 'result') ?? pick(reply, 'error'), expected);
  }
  assert.equal(pick(await query(paper, 'klines', { ...BTC, interval: '1d', colour: 'blue' }), 'code'), -1104);
  await clientOf(paper.url)('GET /api/v3/account', {}, ann);
  assert.ok(!JSON.stringify(await control(other, 'GET /log')).includes('x-mbx-apikey'));
});

test('streams pass on its frames, the makers quote its best prices, and its trades fill orders', async () => {
  await using other = await startOther();
  await using paper = await startRelay(other);
  const names = ['trade', 'kline_1m', 'miniTicker'].map((name) => `btcusdt@${name}`);
  const path = `stream?streams=${[...names, 'btcusdt@bookTicker'].join('/')}`;
  await using there = await listenTo(`${other.wsUrl}/${path}`);
  await using here = await listenTo(`${paper.wsUrl}/${path}`);
  const framesOf = (frames: readonly unknown[], name: string) =>
    frames.filter((frame) => pick(frame, 'stream') === name);
  const everything = async () =>
    [...names, 'btcusdt@bookTicker'].every((name) => framesOf(here.frames, name).length > 0);
  await moveUntil(other, 'every stream brings frames', everything);
  for (const name of names) {
    const [first] = framesOf(here.frames, name);
    assert.ok(
      framesOf(there.frames, name).some((frame) => JSON.stringify(frame) === JSON.stringify(first)),
      name,
    );
  }
  const best = async (exchange: PaperExchange) => {
    const book = await query(exchange, 'ticker/bookTicker', BTC);
    return `${String(pick(book, 'bidPrice'))} ${String(pick(book, 'askPrice'))}`;
  };
  await until('the best prices are the same', async () => (await best(paper)) === (await best(other)));

  await using events = await listenTo(`${paper.wsUrl}/ws-api/v3`);
  await subscribeTo(events, ann);
  const price = (Number((await best(other)).split(' ')[0]) - 500).toFixed(2);
  const order = { ...BTC, side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '0.001', price };
  assert.equal(pick((await clientOf(paper.url)('POST /api/v3/order', order, ann)).body, 'status'), 'NEW');
  const beyond = { ...BTC, price: (Number(price) - 1).toFixed(2), quantity: '1' };
  await control(other, 'POST /trade', beyond);
  const filled = await events.next((frame) => pick(frame, 'event.x') === 'TRADE');
  assert.deepEqual([pick(filled, 'event.L'), pick(filled, 'event.X')], [`${price}000000`, 'FILLED']);
  const coins = ['ETHUSDT', 'LTCBTC'].map((symbol) => ({ symbol, before: '' }));
  for (const coin of coins)
    coin.before = JSON.stringify(await query(paper, 'ticker/bookTicker', { symbol: coin.symbol }));
  await moveUntil(other, 'coins that nobody watches move too', async () => {
    const books = await Promise.all(coins.map(({ symbol }) => query(paper, 'ticker/bookTicker', { symbol })));
    return books.every((book, at) => JSON.stringify(book) !== coins[at]?.before);
  });
});

test('losing the other exchange is logged, prices do not change, and the relay recovers', async () => {
  const other = await startOther();
  const log: string[] = [];
  await using paper = await startRelay(other, log);
  const price = async () => pick(await query(paper, 'ticker/bookTicker', BTC), 'bidPrice');
  const before = await price();
  const port = Number(new URL(other.url).port);
  await until('it is connected', async () => pick(await control(other, 'GET /log'), 'length'));
  await other[Symbol.asyncDispose]();
  await until('the loss is logged', () => log.some((line) => line.includes('are lost')));
  assert.match(
    log[0] ?? '',
    /^The market data of http:\/\/127\.0\.0\.1:\d+ are lost \(.+\): prices do not change until/,
  );
  assert.equal(pick(await control(paper, 'GET /source'), 'connected'), false);
  assert.equal(await price(), before);
  const klines = await clientOf(paper.url)('GET /api/v3/klines', { ...BTC, interval: '1m' });
  assert.deepEqual([klines.status, pick(klines.body, 'code')], [503, -1001]);
  const order = { ...BTC, side: 'BUY', type: 'MARKET', quoteOrderQty: '50' };
  assert.equal(pick((await clientOf(paper.url)('POST /api/v3/order', order, ann)).body, 'status'), 'FILLED');

  await using again = await startOther({ port, seed: 2 });
  await moveUntil(again, 'prices move again', async () => (await price()) !== before);
  assert.ok(log.some((line) => line.endsWith('are available again.')));
  assert.equal(pick(await control(paper, 'GET /source'), 'connected'), true);
});

test('the relay sends nothing to an exchange until its rate limit ends', async () => {
  await using other = await startOther();
  await using paper = await startRelay(other);
  const path = '/api/v3/klines';
  const busy = {
    kind: 'fail-before',
    status: 429,
    body: { code: -1003, msg: 'slow' },
    headers: { 'Retry-After': '60' },
  };
  await control(other, 'POST /faults', [{ ...busy, match: { path } }]);
  for (const _ of [1, 2]) {
    const answer = await clientOf(paper.url)(`GET ${path}`, { ...BTC, interval: '1m' });
    assert.deepEqual([answer.status, pick(answer.body, 'code')], [503, -1008]);
  }
  const log = await control(other, 'GET /log');
  assert.ok(Array.isArray(log) && log.filter((request) => request.path === path).length === 1);
});

test('without the other exchange it does not start, and reports the cause in one sentence', async () => {
  await assert.rejects(startRelay({ url: 'http://127.0.0.1:9', wsUrl: 'ws://127.0.0.1:9' }), {
    name: 'BadInputError',
    message:
      /^The market data of http:\/\/127\.0\.0\.1:9 cannot be read \(.+\): check the network, or use a --source that needs none: synthetic or replay:DIR\.$/,
  });
});
