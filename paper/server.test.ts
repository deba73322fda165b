import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { AccountInput } from '#paper/exchange/accounts.ts';
import { clientOf, type Key, listenTo, pick, signText, subscribeTo } from '#test/paper/client.ts';
import type { PaperExchange } from './server.ts';
import { control, startTestServer } from '#test/paper/test-server.ts';

const START_MS = Date.UTC(2026, 2, 3, 10, 0, 30);
const ann: Key = { apiKey: 'ann-key', secret: 'ann-secret' };
const pair = generateKeyPairSync('ed25519');
const eve: Key = { apiKey: 'eve-key', privateKey: pair.privateKey };
const accounts: AccountInput[] = [
  { name: 'ann', ...ann, balances: { USDT: '10000', BTC: '1' } },
  {
    name: 'eve',
    apiKey: eve.apiKey,
    publicKeyPem: pair.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    balances: { USDT: '500' },
  },
  { name: 'reader', apiKey: 'reader-key', secret: 'x', permissions: ['READ'] },
];

const start = (): Promise<PaperExchange> =>
  startTestServer(accounts, { clock: { kind: 'virtual', startMs: START_MS } });

const order = (params: Record<string, string>) => ({ symbol: 'BTCUSDT', side: 'BUY', ...params });

test('market data answers in the exchange shapes without a key', async () => {
  await using paper = await start();
  const get = async (path: string, params = {}) => (await clientOf(paper.url)(`GET /api/v3/${path}`, params)).body;
  assert.deepEqual(await get('ping'), {});
  const time = await get('time');
  assert.deepEqual([pick(time, 'marketTime'), pick(time, 'marketSpeed')], [START_MS, 0]);
  const klines = await get('klines', { symbol: 'BTCUSDT', interval: '1h', limit: '1000' });
  assert.ok(Array.isArray(klines) && klines.length === 1000);
  assert.match(String(pick(klines, '0.1')), /^\d+\.\d{8}$/);
  assert.equal(pick(klines, '999.0'), START_MS - (START_MS % 3_600_000));
  assert.equal(pick(klines, '999.6'), Number(pick(klines, '999.0')) + 3_599_999);
  const info = await get('exchangeInfo', { symbols: '["BTCUSDT","LTCBTC"]' });
  assert.deepEqual([pick(info, 'symbols.0.symbol'), pick(info, 'symbols.1.quoteAsset')], ['BTCUSDT', 'BTC']);
  assert.deepEqual(
    pick(info, 'exchangeFilters'),
    [],
    'strict clients refuse filters that the real exchange never sends',
  );
  assert.equal(pick(info, 'symbols.0.defaultSelfTradePreventionMode'), 'EXPIRE_MAKER');
  const rules = await get('executionRules', { symbol: 'BTCUSDT' });
  assert.equal(pick(rules, 'symbolRules.0.rules.0.bidLimitMultUp'), '5.0000');
  assert.equal(pick(rules, 'symbolRules.0.rules.0.ruleType'), 'PRICE_RANGE');
  const reference = await get('referencePrice', { symbol: 'BTCUSDT' });
  assert.deepEqual([pick(reference, 'symbol'), pick(reference, 'timestamp')], ['BTCUSDT', START_MS]);
  assert.deepEqual(await get('referencePrice/calculation', { symbol: 'BTCUSDT' }), {
    ...{ symbol: 'BTCUSDT', calculationType: 'ARITHMETIC_MEAN', bucketCount: 10, bucketWidthMs: 1000 },
  });
  const book = await get('ticker/bookTicker', { symbol: 'BTCUSDT' });
  assert.ok(Number(pick(book, 'bidPrice')) < Number(pick(book, 'askPrice')));
  const depth = await get('depth', { symbol: 'BTCUSDT', limit: '5' });
  assert.deepEqual(
    [pick(depth, 'bids.0.0'), pick(depth, 'asks.0.0')],
    [pick(book, 'bidPrice'), pick(book, 'askPrice')],
  );
});

/** Weights are counted for each minute of the wall clock: compared requests must be in the same minute. */
async function minuteWithRoom(): Promise<void> {
  const leftMs = 60_000 - (Date.now() % 60_000);
  if (leftMs < 10_000) await delay(leftMs + 50);
}

test('weights are counted as published; a placed order costs nothing, a refused one its weight', async () => {
  await using paper = await start();
  await minuteWithRoom();
  const used = async (request: string, params: Record<string, string>, key?: Key) =>
    Number((await clientOf(paper.url)(request, params, key)).headers.get('x-mbx-used-weight-1m'));
  let before = await used('GET /api/v3/ping', {});
  for (const { request, params, weight, key } of [
    { request: 'GET /api/v3/exchangeInfo', params: {}, weight: 20 },
    { request: 'GET /api/v3/depth', params: { symbol: 'BTCUSDT', limit: '500' }, weight: 25 },
    { request: 'GET /api/v3/openOrders', params: {}, weight: 80, key: ann },
    { request: 'GET /api/v3/openOrders', params: { symbol: 'BTCUSDT' }, weight: 6, key: ann },
    { request: 'POST /api/v3/order', params: order({ type: 'MARKET', quoteOrderQty: '20' }), weight: 0, key: ann },
    { request: 'POST /api/v3/order', params: order({ type: 'MARKET', quoteOrderQty: '1' }), weight: 1, key: ann },
    { request: 'GET /api/v3/nothing', params: {}, weight: 1 },
  ]) {
    const after = await used(request, params, key);
    assert.equal(after - before, weight, request);
    before = after;
  }
});

const limit = { type: 'LIMIT', timeInForce: 'GTC', quantity: '0.001', price: '20000' };
test('the time window has the length that the client sends', async () => {
  await using paper = await start();
  const params = { timestamp: String(Date.now() - 10_000), recvWindow: '20000' };
  assert.equal(pick((await clientOf(paper.url)('GET /api/v3/account', params, ann)).body, 'canTrade'), true);
});

test('query and body may be mixed, the signature may be anywhere, and the raw bytes are verified', async () => {
  await using paper = await start();
  const query = 'symbol=BTCUSDT&side=BUY&type=MARKET';
  const body = `quoteOrderQty=50&newClientOrderId=a%2Db&timestamp=${Date.now()}`;
  const signature = signText(ann, query + body);
  const response = await fetch(`${paper.url}/api/v3/order?${query}`, {
    method: 'POST',
    body: `signature=${signature}&${body}`,
    headers: { 'X-MBX-APIKEY': ann.apiKey, 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  const placed: unknown = await response.json();
  assert.deepEqual([response.status, pick(placed, 'clientOrderId'), pick(placed, 'status')], [200, 'a-b', 'FILLED']);
  assert.equal(response.headers.get('x-mbx-order-count-10s'), '1');
});

test('an order is placed, filled and booked', async () => {
  await using paper = await start();
  const price = Number(
    pick((await clientOf(paper.url)('GET /api/v3/ticker/price', { symbol: 'BTCUSDT' })).body, 'price'),
  );
  const below = (price * 0.99).toFixed(2);
  const placed = await clientOf(paper.url)(
    'POST /api/v3/order',
    order({ ...limit, price: below, newClientOrderId: 'dip' }),
    ann,
  );
  assert.deepEqual([pick(placed.body, 'status'), pick(placed.body, 'fills')], ['NEW', []]);
  const twin = await clientOf(paper.url)(
    'POST /api/v3/order',
    order({ ...limit, price: below, newClientOrderId: 'dip' }),
    ann,
  );
  assert.deepEqual(twin.body, { code: -2010, msg: 'Duplicate order sent.' });
  const open = await clientOf(paper.url)('GET /api/v3/openOrders', { symbol: 'BTCUSDT' }, ann);
  assert.equal(pick(open.body, '0.clientOrderId'), 'dip');
  await control(paper, 'POST /trade', { symbol: 'BTCUSDT', price: (price * 0.98).toFixed(2), quantity: '0.5' });
  const found = await clientOf(paper.url)('GET /api/v3/order', { symbol: 'BTCUSDT', origClientOrderId: 'dip' }, ann);
  assert.deepEqual([pick(found.body, 'status'), pick(found.body, 'executedQty')], ['FILLED', '0.00100000']);
  const id = String(pick(found.body, 'orderId'));
  const trades = await clientOf(paper.url)('GET /api/v3/myTrades', { symbol: 'BTCUSDT', orderId: id }, ann);
  assert.deepEqual(
    ['0.price', '0.commission', '0.commissionAsset', '0.isMaker', '0.isBuyer'].map((path) => pick(trades.body, path)),
    [`${below}000000`, '0.00000100', 'BTC', true, true],
  );
  const cancel = await clientOf(paper.url)('DELETE /api/v3/order', { symbol: 'BTCUSDT', orderId: id }, ann);
  assert.deepEqual(cancel.body, { code: -2011, msg: 'Unknown order sent.' });
  const all = await clientOf(paper.url)('GET /api/v3/allOrders', { symbol: 'BTCUSDT' }, ann);
  assert.equal(pick(all.body, 'length'), 1);
  const conserved = await control(paper, 'GET /conservation');
  assert.ok(Array.isArray(conserved) && conserved.every((total) => pick(total, 'difference') === '0'));
});

test('a cancel answers with both ids and frees the client id', async () => {
  await using paper = await start();
  const params = order({ ...limit, newClientOrderId: 'mine' });
  await clientOf(paper.url)('POST /api/v3/order', params, ann);
  const cancel = await clientOf(paper.url)(
    'DELETE /api/v3/order',
    { symbol: 'BTCUSDT', origClientOrderId: 'mine', newClientOrderId: 'mine-c' },
    ann,
  );
  assert.deepEqual(
    ['status', 'origClientOrderId', 'clientOrderId'].map((path) => pick(cancel.body, path)),
    ['CANCELED', 'mine', 'mine-c'],
  );
  const gone = await clientOf(paper.url)('GET /api/v3/order', { symbol: 'BTCUSDT', origClientOrderId: 'mine' }, ann);
  assert.deepEqual(gone.body, { code: -2013, msg: 'Order does not exist.' });
  const renamed = await clientOf(paper.url)(
    'GET /api/v3/order',
    { symbol: 'BTCUSDT', origClientOrderId: 'mine-c' },
    ann,
  );
  assert.equal(pick(renamed.body, 'status'), 'CANCELED');
  assert.equal((await clientOf(paper.url)('POST /api/v3/order', params, ann)).status, 200);
});

test('retired and unknown paths answer 410 and a JSON 404', async () => {
  await using paper = await start();
  assert.equal((await clientOf(paper.url)('POST /api/v3/userDataStream')).status, 410);
  const unknown = await clientOf(paper.url)('GET /api/v3/unknown');
  assert.deepEqual([unknown.status, pick(unknown.body, 'status')], [404, 404]);
});

test('over a weight of 6,000 in a minute the address gets 429 with Retry-After', async () => {
  await using paper = await start();
  await minuteWithRoom();
  let answer = await clientOf(paper.url)('GET /api/v3/ping');
  for (let sent = 0; sent < 60 && answer.status === 200; sent++) {
    answer = await clientOf(paper.url)('GET /api/v3/depth', { symbol: 'BTCUSDT', limit: '5000' });
  }
  const msg =
    'Too much request weight used; current limit is 6000 request weight per 1 MINUTE. Please use WebSocket Streams for live updates to avoid polling the API.';
  assert.deepEqual([answer.status, answer.body], [429, { code: -1003, msg }]);
  assert.ok(Number(answer.headers.get('retry-after')) > 0);
});

test('faults respect the commit point', async () => {
  await using paper = await start();
  const match = { method: 'POST', path: '/api/v3/order' };
  await control(paper, 'POST /faults', [
    { match, kind: 'fail-before', status: 503, body: { code: -1008, msg: 'busy' } },
    { match, kind: 'apply-then-fail', status: 504 },
    { match, kind: 'reset' },
  ]);
  const place = (id: string) =>
    clientOf(paper.url)('POST /api/v3/order', order({ ...limit, newClientOrderId: id }), ann);
  const before = await place('one');
  assert.deepEqual([before.status, before.body], [503, { code: -1008, msg: 'busy' }]);
  const after = await place('two');
  assert.deepEqual([after.status, pick(after.body, 'code')], [504, -1007]);
  await assert.rejects(place('three'));
  const status = async (id: string) =>
    pick(
      (await clientOf(paper.url)('GET /api/v3/order', { symbol: 'BTCUSDT', origClientOrderId: id }, ann)).body,
      'status',
    );
  assert.deepEqual([await status('one'), await status('two'), await status('three')], [undefined, 'NEW', undefined]);
});

test('execution may come after the answer, and a failure has its headers', async () => {
  await using paper = await start();
  const match = { method: 'POST', path: '/api/v3/order' };
  await control(paper, 'POST /faults', [
    { match, kind: 'late', status: 504, delayMs: 600 },
    { match, kind: 'fail-before', status: 429, body: { code: -1003, msg: 'slow' }, headers: { 'Retry-After': '1' } },
  ]);
  const client = clientOf(paper.url);
  await using events = await listenTo(`${paper.wsUrl}/ws-api/v3`);
  await subscribeTo(events, ann);
  const late = await client(
    'POST /api/v3/order',
    order({ ...limit, newClientOrderId: 'late', recvWindow: '500' }),
    ann,
  );
  assert.deepEqual([late.status, pick(late.body, 'code')], [504, -1007]);
  const refused = await client('POST /api/v3/order', order({ ...limit, newClientOrderId: 'two' }), ann);
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1']);
  await events.next((frame) => pick(frame, 'event.c') === 'late');
  const found = await client('GET /api/v3/order', { symbol: 'BTCUSDT', origClientOrderId: 'late' }, ann);
  assert.equal(found.status, 200);
});

test('the request log holds names, never values', async () => {
  await using paper = await start();
  await clientOf(paper.url)('GET /api/v3/account', {}, ann);
  const log = JSON.stringify(await control(paper, 'GET /log'));
  assert.ok(log.includes('x-mbx-apikey') && log.includes('signature'));
  assert.ok(!log.includes(ann.apiKey));
});

test('a port in use is refused with a message', async () => {
  await using paper = await start();
  const port = Number(new URL(paper.url).port);
  const again = startTestServer(accounts, { port });
  await assert.rejects(again, {
    name: 'BadInputError',
    message: `Port ${port} on 127.0.0.1 is already in use: stop the program that listens there, or choose another port.`,
  });
});

for (const key of [ann, eve]) {
  test(`user events arrive wrapped over the WebSocket API (${'secret' in key ? 'HMAC' : 'Ed25519'})`, async () => {
    await using paper = await start();
    await using socket = await listenTo(`${paper.wsUrl}/ws-api/v3`);
    const subscribed = await subscribeTo(socket, key);
    assert.deepEqual([pick(subscribed, 'status'), pick(subscribed, 'result.subscriptionId')], [200, 0]);
    await clientOf(paper.url)(
      'POST /api/v3/order',
      order({ type: 'MARKET', quoteOrderQty: '100', newClientOrderId: 'ws' }),
      key,
    );
    const fresh = await socket.next((frame) => pick(frame, 'event.e') === 'executionReport');
    assert.deepEqual(
      ['subscriptionId', 'event.x', 'event.X', 'event.c', 'event.n', 'event.N', 'event.t'].map((path) =>
        pick(fresh, path),
      ),
      [0, 'NEW', 'NEW', 'ws', '0', null, -1],
    );
    const traded = await socket.next((frame) => pick(frame, 'event.x') === 'TRADE');
    assert.deepEqual(
      ['event.X', 'event.N', 'event.S'].map((path) => pick(traded, path)),
      ['FILLED', 'BTC', 'BUY'],
    );
    const position = await socket.next((frame) => pick(frame, 'event.e') === 'outboundAccountPosition');
    const rest = await clientOf(paper.url)('GET /api/v3/account', { omitZeroBalances: 'true' }, key);
    const streamed = pick(position, 'event.B');
    assert.ok(Array.isArray(streamed) && streamed.length === 2);
    const balances = pick(rest.body, 'balances');
    for (const update of streamed) {
      assert.ok(
        Array.isArray(balances) &&
          balances.some((row) => row.asset === update.a && row.free === update.f && row.locked === update.l),
      );
    }
  });
}

test('an Ed25519 key logs on, subscribes and places; an HMAC key cannot log on', async () => {
  await using paper = await start();
  await using socket = await listenTo(`${paper.wsUrl}/ws-api/v3`);
  const logOn = (key: Key, id: number) => {
    const timestamp = Date.now();
    const signature = signText(key, `apiKey=${key.apiKey}&timestamp=${timestamp}`);
    socket.send({ id, method: 'session.logon', params: { apiKey: key.apiKey, timestamp, signature } });
    return socket.next((frame) => pick(frame, 'id') === id);
  };
  assert.equal(pick(await logOn(ann, 1), 'status'), 400);
  assert.equal(pick(await logOn(eve, 2), 'result.apiKey'), eve.apiKey);
  socket.send({ id: 3, method: 'userDataStream.subscribe' });
  assert.equal(pick(await socket.next((frame) => pick(frame, 'id') === 3), 'result.subscriptionId'), 0);
  const params = { ...order({ type: 'MARKET', quoteOrderQty: '50' }), timestamp: Date.now() };
  socket.send({ id: 4, method: 'order.place', params });
  assert.equal(pick(await socket.next((frame) => pick(frame, 'id') === 4), 'result.status'), 'FILLED');
});

test('market streams send the subscribed streams, in virtual time and in order', async () => {
  await using paper = await start();
  await using raw = await listenTo(`${paper.wsUrl}/ws/btcusdt@kline_1m`);
  await using combined = await listenTo(`${paper.wsUrl}/stream?streams=btcusdt@trade/btcusdt@bookTicker`);
  combined.send({ id: 7, method: 'SUBSCRIBE', params: ['btcusdt@miniTicker'] });
  await combined.next((frame) => pick(frame, 'id') === 7);
  await control(paper, 'POST /clock/advance', { ms: 180_000 });
  const closes = [];
  for (const minute of [0, 1, 2]) {
    const frame = await raw.next((candidate) => pick(candidate, 'k.x') === true);
    closes.push(pick(frame, 'k.t'));
    const openMs = START_MS - 30_000 + minute * 60_000;
    const rest = await clientOf(paper.url)('GET /api/v3/klines', {
      symbol: 'BTCUSDT',
      interval: '1m',
      startTime: String(openMs),
      limit: '1',
    });
    assert.deepEqual(
      ['k.t', 'k.o', 'k.h', 'k.l', 'k.c', 'k.v'].map((path) => pick(frame, path)),
      [0, 1, 2, 3, 4, 5].map((at) => pick(rest.body, `0.${at}`)),
    );
  }
  assert.deepEqual(
    closes,
    [0, 1, 2].map((minute) => START_MS - 30_000 + minute * 60_000),
  );
  await combined.next((frame) => pick(frame, 'data.e') === '24hrMiniTicker');
  const trades = combined.frames
    .filter((frame) => pick(frame, 'stream') === 'btcusdt@trade')
    .map((frame) => Number(pick(frame, 'data.t')));
  assert.ok(trades.length >= 10);
  assert.deepEqual(
    trades,
    trades.toSorted((a, b) => a - b),
  );
  assert.ok(
    combined.frames.some(
      (frame) => pick(frame, 'stream') === 'btcusdt@bookTicker' && pick(frame, 'data.e') === undefined,
    ),
  );
});

test('dropping the streams closes every socket', async () => {
  await using paper = await start();
  await using socket = await listenTo(`${paper.wsUrl}/ws`);
  assert.deepEqual(await control(paper, 'POST /streams/drop'), { dropped: 1 });
  assert.equal(socket.frames.length, 0);
});

test('a body over 1 MiB is refused with 413, and nothing is logged as a fault', async () => {
  const lines: string[] = [];
  await using paper = await startTestServer(accounts, {}, (line) => lines.push(line));
  const body = 'x'.repeat(1024 * 1024 + 1);
  const sent = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body };
  assert.equal((await fetch(`${paper.url}/api/v3/order`, sent)).status, 413);
  const control = { method: 'POST', headers: paper.controlHeaders, body: JSON.stringify(body) };
  assert.equal((await fetch(`${paper.controlUrl}/faults`, control)).status, 413);
  assert.deepEqual(lines, []);
});
