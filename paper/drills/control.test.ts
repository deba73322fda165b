import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { WebSocket } from 'ws';
import { clientOf, type Key, listenTo, pick, subscribeTo } from '#test/paper/client.ts';
import type { PaperOptions } from '#paper/options.ts';
import type { PaperExchange } from '#paper/server.ts';
import { control, startTestServer, TEST_SERVER_START_MS } from '#test/paper/test-server.ts';

const ann: Key = { apiKey: 'ann-key', secret: 'ann-secret' };
const start = (more: Partial<PaperOptions> = {}): Promise<PaperExchange> =>
  startTestServer([{ name: 'ann', ...ann, balances: { USDT: '10000' } }], more);

const limit = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '0.001', price: '20000' };

for (const status of ['HALT', 'BREAK', 'CANCEL_ONLY']) {
  test(`in ${status} nothing trades, orders can be cancelled and nothing new placed`, async () => {
    await using paper = await start();
    const send = clientOf(paper.url);
    const mine = { symbol: 'BTCUSDT', origClientOrderId: 'rest' };
    await send('POST /api/v3/order', { ...limit, newClientOrderId: 'rest' }, ann);
    await control(paper, 'POST /symbols', { symbol: 'BTCUSDT', status });
    const info = await send('GET /api/v3/exchangeInfo', { symbol: 'BTCUSDT' });
    assert.equal(pick(info.body, 'symbols.0.status'), status);
    const pair = {
      ...{ symbol: 'BTCUSDT', side: 'BUY', quantity: '0.001', aboveType: 'STOP_LOSS', aboveStopPrice: '90000' },
      ...{ belowType: 'LIMIT_MAKER', belowPrice: '20000' },
    };
    for (const { path, params } of [
      { path: 'order', params: limit },
      { path: 'order/test', params: limit },
      { path: 'orderList/oco', params: pair },
    ]) {
      const refused = await send(`POST /api/v3/${path}`, params, ann);
      assert.deepEqual(refused.body, { code: -2010, msg: 'Market is closed.' }, path);
    }
    const before = (await send('GET /api/v3/ticker/price', { symbol: 'BTCUSDT' })).body;
    await control(paper, 'POST /trade', { symbol: 'BTCUSDT', price: '19000', quantity: '1' });
    await control(paper, 'POST /clock/advance', { ms: 120_000 });
    assert.deepEqual((await send('GET /api/v3/ticker/price', { symbol: 'BTCUSDT' })).body, before);
    const depth = (await send('GET /api/v3/depth', { symbol: 'BTCUSDT' })).body;
    assert.equal(pick(depth, 'bids.0') === undefined, status === 'BREAK', 'only a break shows no book');
    const mismatch = await send('GET /api/v3/depth', { symbol: 'BTCUSDT', symbolStatus: 'TRADING' });
    assert.equal(pick(mismatch.body, 'code'), -1220);
    const cancel = await send('DELETE /api/v3/order', mine, ann);
    assert.deepEqual([pick(cancel.body, 'status'), pick(cancel.body, 'executedQty')], ['CANCELED', '0.00000000']);
    await control(paper, 'POST /symbols', { symbol: 'BTCUSDT', status: 'TRADING' });
    assert.equal((await send('POST /api/v3/order', limit, ann)).status, 200);
  });
}

test('POST /symbols makes the grid of a coin coarser: new orders must be on it, open ones stay', async () => {
  await using paper = await start();
  const send = clientOf(paper.url);
  await send('POST /api/v3/order', { ...limit, quantity: '0.00123', price: '20000.01' }, ann);
  await control(paper, 'POST /symbols', { symbol: 'BTCUSDT', step: '0.0001', tick: '0.1' });
  const { body } = await send('GET /api/v3/exchangeInfo', { symbol: 'BTCUSDT' });
  assert.deepEqual(
    [pick(body, 'symbols.0.filters.0.tickSize'), pick(body, 'symbols.0.filters.1.stepSize')],
    ['0.10000000', '0.00010000'],
  );
  const refusedBy = async (change: object) =>
    pick((await send('POST /api/v3/order', { ...limit, ...change }, ann)).body, 'msg');
  assert.equal(await refusedBy({ quantity: '0.00123' }), 'Filter failure: LOT_SIZE');
  assert.equal(await refusedBy({ price: '20000.01' }), 'Filter failure: PRICE_FILTER');
  assert.equal(await refusedBy({}), undefined);
  assert.equal(pick((await send('GET /api/v3/openOrders', {}, ann)).body, '0.origQty'), '0.00123000');
});

test('POST /symbols sets the features of a coin, its price range, and the source of its reference price', async () => {
  await using paper = await start();
  const get = async (path: string) => (await clientOf(paper.url)(`GET /api/v3/${path}`, { symbol: 'BTCUSDT' })).body;
  await using stream = await listenTo(`${paper.wsUrl}/ws/btcusdt@referencePrice`);
  await control(paper, 'POST /symbols', {
    ...{ symbol: 'BTCUSDT', lacks: ['ocoAllowed', 'MARKET'] },
    range: { bidUp: '1.5', bidDown: null, askUp: null, askDown: '0.5' },
    reference: { kind: 'external', id: 3, price: '20000', atMs: 7 },
  });
  const info = await get('exchangeInfo');
  assert.deepEqual([pick(info, 'symbols.0.ocoAllowed'), pick(info, 'symbols.0.otoAllowed')], [false, true]);
  assert.ok(!JSON.stringify(pick(info, 'symbols.0.orderTypes')).includes('"MARKET"'));
  const rule = { ruleType: 'PRICE_RANGE', bidLimitMultUp: '1.5000', askLimitMultDown: '0.5000' };
  assert.deepEqual(pick(await get('executionRules'), 'symbolRules.0.rules'), [rule]);
  const reference = { symbol: 'BTCUSDT', referencePrice: '20000.00000000', timestamp: 7 };
  assert.deepEqual(await get('referencePrice'), reference);
  const calculation = { symbol: 'BTCUSDT', calculationType: 'EXTERNAL', externalCalculationId: 3 };
  assert.deepEqual(await get('referencePrice/calculation'), calculation);
  await control(paper, 'POST /clock/advance', { ms: 2000 });
  const frame = await stream.next((candidate) => pick(candidate, 'r') === '20000.00000000');
  assert.deepEqual(frame, { e: 'referencePrice', s: 'BTCUSDT', r: '20000.00000000', t: 7 });
});

test('a key loses its permission, its address and its validity, and gets them back', async () => {
  await using paper = await start();
  const place = () => clientOf(paper.url)('POST /api/v3/order', limit, ann);
  const read = () => clientOf(paper.url)('GET /api/v3/account', {}, ann);
  const change = (what: object) => control(paper, 'POST /keys', { account: 'ann', ...what });
  await change({ permissions: ['READ'] });
  assert.deepEqual([(await place()).status, (await read()).status], [401, 200]);
  await change({ permissions: ['READ', 'SPOT'], ipAllowList: ['10.0.0.1'] });
  assert.deepEqual([(await place()).status, (await read()).status], [401, 401]);
  await change({ ipAllowList: [], revoked: true });
  assert.equal(pick((await read()).body, 'code'), -2015);
  await change({ revoked: false });
  assert.deepEqual([(await place()).status, (await read()).status], [200, 200]);
});

test('a revoked key loses its event stream', async () => {
  await using paper = await start();
  await using socket = await listenTo(`${paper.wsUrl}/ws-api/v3`);
  await subscribeTo(socket, ann);
  await control(paper, 'POST /keys', { account: 'ann', revoked: true });
  await socket.next((frame) => pick(frame, 'event.e') === 'eventStreamTerminated');
});

test('a ban answers 418 until it is lifted', async () => {
  await using paper = await start();
  await control(paper, 'POST /bans', { ms: 60_000 });
  const banned = await clientOf(paper.url)('GET /api/v3/ping');
  assert.deepEqual([banned.status, banned.headers.get('retry-after')], [418, '60']);
  await control(paper, 'DELETE /bans');
  assert.equal((await clientOf(paper.url)('GET /api/v3/ping')).status, 200);
});

test('a shutdown is announced on every kind of connection, and a day-old connection ends', async () => {
  await using paper = await start();
  await using raw = await listenTo(`${paper.wsUrl}/ws`);
  await using combined = await listenTo(`${paper.wsUrl}/stream?streams=`);
  await using api = await listenTo(`${paper.wsUrl}/ws-api/v3`);
  assert.deepEqual(await control(paper, 'POST /streams/shutdown'), { told: 3 });
  const path = { raw: 'e', combined: 'data.e', api: 'event.e' };
  await raw.next((frame) => pick(frame, path.raw) === 'serverShutdown');
  const wrapped = await combined.next((frame) => pick(frame, path.combined) === 'serverShutdown');
  assert.equal(pick(wrapped, 'stream'), '!serverShutdown');
  await api.next((frame) => pick(frame, path.api) === 'serverShutdown');
  const closed = Promise.all([raw, combined, api].map((socket) => socket.closed()));
  await control(paper, 'POST /streams/expire');
  assert.deepEqual(await closed, [1008, 1008, 1008]);
});

const kline = 'btcusdt@kline_1m';

test('market streams lose and break frames of one stream only', async () => {
  await using paper = await start();
  await using stream = await listenTo(`${paper.wsUrl}/stream?streams=${kline}/btcusdt@trade`);
  await control(paper, 'POST /faults/streams', [{ kind: 'drop', event: kline, times: 1000 }]);
  await control(paper, 'POST /clock/advance', { ms: 120_000 });
  await control(paper, 'DELETE /faults/streams');
  await control(paper, 'POST /clock/advance', { ms: 120_000 });
  const first = await stream.next((frame) => pick(frame, 'data.k.x') === true);
  assert.equal(pick(first, 'data.k.t'), Date.UTC(2026, 2, 3, 0, 2));
  const trade = stream.frames.find((frame) => pick(frame, 'data.e') === 'trade');
  assert.ok(Number(pick(trade, 'data.T')) < Date.UTC(2026, 2, 3, 0, 1));
});

test('queries can return a stale book, and can miss a new order for a while', async () => {
  await using paper = await start();
  const send = clientOf(paper.url);
  const depth = async () => (await send('GET /api/v3/depth', { symbol: 'BTCUSDT', limit: '5' })).body;
  const before = await depth();
  await control(paper, 'POST /depth', { symbol: 'BTCUSDT', stale: true });
  await control(paper, 'POST /clock/advance', { ms: 60_000 });
  assert.deepEqual(await depth(), before);
  await control(paper, 'POST /depth', { symbol: 'BTCUSDT', stale: false });
  assert.ok(Number(pick(await depth(), 'lastUpdateId')) > Number(pick(before, 'lastUpdateId')));

  await control(paper, 'POST /reads', { orderLagMs: 500 });
  await using events = await listenTo(`${paper.wsUrl}/ws-api/v3`);
  await subscribeTo(events, ann);
  await send('POST /api/v3/order', { ...limit, newClientOrderId: 'new' }, ann);
  await events.next((frame) => pick(frame, 'event.c') === 'new');
  const query = async () =>
    pick((await send('GET /api/v3/order', { symbol: 'BTCUSDT', origClientOrderId: 'new' }, ann)).body, 'code');
  const open = async () => pick((await send('GET /api/v3/openOrders', {}, ann)).body, 'length');
  assert.deepEqual([await query(), await open()], [-2013, 0]);
  await control(paper, 'POST /clock/advance', { ms: 500 });
  assert.deepEqual([await query(), await open()], [undefined, 1]);
});

test('a silent exchange answers no ping', async () => {
  await using paper = await start();
  const socket = new WebSocket(`${paper.wsUrl}/ws/btcusdt@trade`);
  await once(socket, 'open');
  const pongs: string[] = [];
  socket.on('pong', (data) => pongs.push(String(data)));
  await control(paper, 'POST /streams/silence', { silent: true });
  const answered = once(socket, 'message');
  socket.ping('one');
  socket.send(JSON.stringify({ method: 'LIST_SUBSCRIPTIONS', id: 1 }));
  await answered;
  await control(paper, 'POST /streams/silence', { silent: false });
  const pong = once(socket, 'pong');
  socket.ping('two');
  await pong;
  assert.deepEqual(pongs, ['two']);
  socket.terminate();
});

test('times are in microseconds if the client requests that', async () => {
  await using paper = await start();
  const get = async (path: string, unit: string): Promise<unknown> =>
    (await fetch(`${paper.url}/api/v3/${path}`, { headers: { 'X-MBX-TIME-UNIT': unit } })).json();
  const klines = await get('klines?symbol=BTCUSDT&interval=1h&limit=1', 'MICROSECOND');
  const openUs = TEST_SERVER_START_MS * 1000;
  assert.deepEqual([pick(klines, '0.0'), pick(klines, '0.6')], [openUs, openUs + 3_600_000_000 - 1]);
  assert.equal(pick(await get('time', 'microsecond'), 'marketTime'), openUs);
  assert.equal(pick(await get('time', 'HOUR'), 'code'), -1194);
  await using stream = await listenTo(`${paper.wsUrl}/ws/${kline}?timeUnit=MICROSECOND`);
  await using plain = await listenTo(`${paper.wsUrl}/ws/${kline}`);
  await using events = await listenTo(`${paper.wsUrl}/ws-api/v3?timeUnit=MICROSECOND`);
  await subscribeTo(events, ann);
  await clientOf(paper.url)(
    'POST /api/v3/order',
    { ...limit, newClientOrderId: 'us', strategyId: '2000000000000' },
    ann,
  );
  const { event } = Object(await events.next((frame) => pick(frame, 'event.c') === 'us'));
  assert.deepEqual([event.O, event.W, event.j], [openUs, openUs, 2_000_000_000_000]);
  await control(paper, 'POST /clock/advance', { ms: 60_000 });
  const closed = (frame: unknown): boolean => pick(frame, 'k.x') === true;
  const [fine, coarse] = [pick(await stream.next(closed), 'k'), pick(await plain.next(closed), 'k')];
  assert.deepEqual([pick(fine, 't'), pick(fine, 'T')], [openUs, openUs + 60_000_000 - 1]);
  assert.deepEqual({ ...Object(fine), t: 0, T: 0 }, { ...Object(coarse), t: 0, T: 0 });
});

test('in a scripted market only injected trades happen', async () => {
  await using paper = await start({ source: { kind: 'script' } });
  const send = clientOf(paper.url);
  const price = async () => pick((await send('GET /api/v3/ticker/price', { symbol: 'BTCUSDT' })).body, 'price');
  const before = await price();
  await control(paper, 'POST /clock/advance', { ms: 3_600_000 });
  assert.equal(await price(), before);
  await control(paper, 'POST /trade', { symbol: 'BTCUSDT', price: '50000', quantity: '2' });
  await control(paper, 'POST /clock/advance', { ms: 3_600_000 });
  assert.equal(await price(), '50000.00000000');
  const query = { symbol: 'BTCUSDT', interval: '1h', startTime: String(TEST_SERVER_START_MS) };
  const { body } = await send('GET /api/v3/klines', query);
  assert.deepEqual(
    ['0.0', '0.4', '0.5', '1'].map((path) => pick(body, path)),
    [Date.UTC(2026, 2, 3, 1), '50000.00000000', '2.00000000', undefined],
  );
});

test('test environments have no wallet API, and the profile can be changed', async () => {
  await using paper = await start();
  const send = clientOf(paper.url);
  const status = async () => (await send('GET /sapi/v1/system/status')).status;
  assert.equal(await status(), 200);
  for (const profile of ['testnet', 'demo']) {
    assert.deepEqual(await control(paper, 'POST /profile', { profile }), { profile });
    assert.deepEqual([await status(), (await send('GET /fapi/v1/exchangeInfo')).status], [404, 404]);
    const klines = { symbol: 'BTCUSDT', interval: '1h', limit: '3' };
    assert.deepEqual(
      (await send('GET /api/v3/uiKlines', klines)).body,
      (await send('GET /api/v3/klines', klines)).body,
    );
  }
  assert.deepEqual(await control(paper, 'GET /profile'), { profile: 'demo' });
});

test('a wipe resets orders, balances and ids, and keeps the keys', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'paper-wipe-'));
  after(() => rmSync(dataDir, { recursive: true }));
  const market = { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quoteOrderQty: '100' };
  const look = async ({ url }: PaperExchange): Promise<unknown[]> => {
    const ask = async (path: string) => (await clientOf(url)(`GET /api/v3/${path}`, { symbol: 'BTCUSDT' }, ann)).body;
    const lists = await Promise.all(['openOrders', 'allOrders', 'myTrades'].map(ask));
    const account = await clientOf(url)('GET /api/v3/account', {}, ann);
    return [...lists, pick(account.body, 'balances')];
  };
  const nothing = [[], [], [], [{ asset: 'USDT', free: '10000.00000000', locked: '0.00000000' }]];
  {
    await using paper = await start({ dataDir });
    const send = clientOf(paper.url);
    await using events = await listenTo(`${paper.wsUrl}/ws-api/v3`);
    await subscribeTo(events, ann);
    await send('POST /api/v3/order', market, ann);
    await send('POST /api/v3/order', { ...limit, newClientOrderId: 'rest' }, ann);
    const refused = await fetch(`${paper.controlUrl}/wipe`, { method: 'POST', headers: paper.controlHeaders });
    assert.equal(refused.status, 400);
    await control(paper, 'POST /profile', { profile: 'testnet' });
    const closed = events.closed();
    assert.deepEqual(await control(paper, 'POST /wipe'), { dropped: 1 });
    await closed;
    assert.deepEqual(await look(paper), nothing);
    const gone = await send('GET /api/v3/order', { symbol: 'BTCUSDT', origClientOrderId: 'rest' }, ann);
    assert.equal(pick(gone.body, 'code'), -2013);
    await control(paper, 'POST /trade', { symbol: 'BTCUSDT', price: '19000', quantity: '1' });
    assert.deepEqual(await look(paper), nothing);
    assert.equal(pick((await send('POST /api/v3/order', market, ann)).body, 'orderId'), 1);
    await control(paper, 'POST /wipe');
  }
  await using again = await start({ dataDir });
  assert.deepEqual(await look(again), nothing);
});

test('metrics count requests, orders and subscribers, and unknown paths share a row', async () => {
  await using paper = await start();
  const send = clientOf(paper.url);
  await send('POST /api/v3/order', { ...limit, newClientOrderId: 'one' }, ann);
  await send('POST /api/v3/order', { ...limit, price: '-1' }, ann);
  await send('GET /api/v3/time', {});
  for (const path of ['/api/v3/invented', '/api/v3/made-up']) await send(`GET ${path}`, {});
  const listener = await listenTo(`${paper.wsUrl}/stream?streams=btcusdt@trade/ethusdt@trade`);
  await control(paper, 'DELETE /log');
  const response = await fetch(`${paper.controlUrl}/metrics`);
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=/);
  const rows = new Map((await response.text()).split('\n').map((row) => [row.slice(0, row.lastIndexOf(' ')), row]));
  const value = (name: string): number => Number(rows.get(name)?.split(' ').at(-1));
  const orders = (status: number): number =>
    value(`paper_requests_total{method="POST",path="/api/v3/order",status="${status}"}`);
  assert.deepEqual([orders(200), orders(400)], [1, 1]);
  assert.equal(value('paper_requests_total{method="any",path="unknown",status="404"}'), 2);
  assert.equal(value('paper_open_orders'), 1);
  assert.equal(value('paper_streams'), 2);
  assert.equal(value('paper_stream_connections'), 1);
  assert.ok(value('process_cpu_seconds_total') > 0);
  assert.equal(listener.frames.length, 0);
});

test('a deposit and a withdrawal have their own events', async () => {
  await using paper = await start();
  await using events = await listenTo(`${paper.wsUrl}/ws-api/v3`);
  await subscribeTo(events, ann);
  await control(paper, 'POST /balances', { account: 'ann', balances: { USDT: '10250.5', BTC: '0' } });
  const deposit = await events.next((frame) => pick(frame, 'event.e') === 'balanceUpdate');
  const atMs = paper.venue.clock.nowMs();
  assert.deepEqual(pick(deposit, 'event'), { e: 'balanceUpdate', E: atMs, a: 'USDT', d: '250.50000000', T: atMs });
  await control(paper, 'POST /balances', { account: 'ann', balances: { USDT: '10000' } });
  const withdrawal = await events.next((frame) => pick(frame, 'event.e') === 'balanceUpdate');
  assert.deepEqual([pick(withdrawal, 'event.a'), pick(withdrawal, 'event.d')], ['USDT', '-250.50000000']);
});
