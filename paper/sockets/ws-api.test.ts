import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { clientOf, type Key, type Listener, listenTo, pick, signText } from '#test/paper/client.ts';
import type { PaperExchange } from '#paper/server.ts';
import { startTestServer } from '#test/paper/test-server.ts';

const ann: Key = { apiKey: 'ann-key', secret: 'ann-secret' };
const pair = generateKeyPairSync('ed25519');
const eve: Key = { apiKey: 'eve-key', privateKey: pair.privateKey };
const publicKeyPem = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();

const balances = { USDT: '10000' };
const start = (): Promise<PaperExchange> =>
  startTestServer([
    { name: 'ann', ...ann, balances },
    { name: 'eve', apiKey: eve.apiKey, publicKeyPem, balances },
  ]);

let lastId = 0;
/** Sends a call, signed if a key is given, and waits for its reply. */
function call(socket: Listener, method: string, params: Record<string, unknown> = {}, key?: Key): Promise<unknown> {
  lastId += 1;
  const id = lastId;
  const own = key === undefined ? params : { ...params, apiKey: key.apiKey, timestamp: Date.now() };
  const text = Object.entries(own)
    .map(([name, value]) => `${name}=${String(value)}`)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .join('&');
  const signature = key === undefined ? {} : { signature: signText(key, text) };
  socket.send({ id, method, params: { ...own, ...signature } });
  return socket.next((frame) => pick(frame, 'id') === id);
}

test('every query of the market answers over the WebSocket API as over REST', async () => {
  await using paper = await start();
  await using socket = await listenTo(`${paper.wsUrl}/ws-api/v3`);
  const symbol = 'BTCUSDT';
  for (const { method, path, params } of [
    { method: 'ping', path: 'ping', params: {} },
    { method: 'blockTrades.historical', path: 'historicalBlockTrades', params: { symbol, fromId: 1 } },
    { method: 'depth', path: 'depth', params: { symbol, limit: 5 } },
    { method: 'v3/trades.recent', path: 'trades', params: { symbol, limit: 5 } },
    { method: 'trades.historical', path: 'historicalTrades', params: { symbol, limit: 5 } },
    { method: 'trades.aggregate', path: 'aggTrades', params: { symbol, limit: 5 } },
    { method: 'klines', path: 'klines', params: { symbol, interval: '1h', limit: 5 } },
    { method: 'uiKlines', path: 'uiKlines', params: { symbol, interval: '1d', limit: 5, timeZone: '+08:00' } },
    { method: 'avgPrice', path: 'avgPrice', params: { symbol } },
    { method: 'ticker', path: 'ticker', params: { symbol, windowSize: '4h' } },
    { method: 'ticker.24hr', path: 'ticker/24hr', params: { symbol, type: 'MINI' } },
    { method: 'ticker.tradingDay', path: 'ticker/tradingDay', params: { symbol } },
    { method: 'ticker.price', path: 'ticker/price', params: { symbol } },
    { method: 'ticker.book', path: 'ticker/bookTicker', params: { symbol } },
  ]) {
    const texts = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));
    const rest = await clientOf(paper.url)(`GET /api/v3/${path}`, texts);
    const reply = await call(socket, method, params);
    assert.deepEqual(pick(reply, 'result'), rest.body, method);
    assert.equal(pick(reply, 'rateLimits.0.rateLimitType'), 'REQUEST_WEIGHT');
  }
  const list = await call(socket, 'ticker.price', { symbols: ['BTCUSDT', 'LTCBTC'] });
  assert.deepEqual([pick(list, 'result.0.symbol'), pick(list, 'result.1.symbol')], ['BTCUSDT', 'LTCBTC']);
});

test('unsupported operations are refused with a message over the WebSocket API too', async () => {
  await using paper = await start();
  await using socket = await listenTo(`${paper.wsUrl}/ws-api/v3`);
  for (const method of [
    ...['sor.order.place', 'sor.order.test', 'myAllocations', 'orderList.place.opo', 'orderList.place.opoco'],
    ...['order.amend.keepPriority', 'order.amendments'],
  ]) {
    const reply = await call(socket, method, { symbol: 'BTCUSDT' }, ann);
    assert.deepEqual([pick(reply, 'status'), pick(reply, 'error.code')], [400, -1020], method);
    assert.match(String(pick(reply, 'error.msg')), /^This operation is not supported: the paper exchange has no /);
  }
});

test('replies contain the rate limits unless the client turns them off', async () => {
  await using paper = await start();
  await using quiet = await listenTo(`${paper.wsUrl}/ws-api/v3?returnRateLimits=false`);
  assert.equal(pick(await call(quiet, 'ping'), 'rateLimits'), undefined);
  assert.ok(pick(await call(quiet, 'ping', { returnRateLimits: true }), 'rateLimits.0') !== undefined);
  await using socket = await listenTo(`${paper.wsUrl}/ws-api/v3`);
  assert.equal(pick(await call(socket, 'ping', { returnRateLimits: false }), 'rateLimits'), undefined);
  const order = { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quoteOrderQty: 20 };
  const placed = await call(socket, 'order.place', order, ann);
  assert.deepEqual(
    [0, 1, 2].map((at) => pick(placed, `rateLimits.${at}.rateLimitType`)),
    ['ORDERS', 'ORDERS', 'REQUEST_WEIGHT'],
  );
});

test('an account can query its counts of unfilled orders', async () => {
  await using paper = await start();
  await using socket = await listenTo(`${paper.wsUrl}/ws-api/v3`);
  const limit = {
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    timeInForce: 'GTC',
    quantity: '0.001',
    price: '20000',
  };
  for (const _ of [1, 2]) await clientOf(paper.url)('POST /api/v3/order', limit, ann);
  const rows = pick(await call(socket, 'account.rateLimits.orders', {}, ann), 'result');
  assert.deepEqual(pick(rows, '1'), {
    ...{ rateLimitType: 'ORDERS', interval: 'DAY', intervalNum: 1, limit: 200_000, count: 2 },
  });
  assert.deepEqual((await clientOf(paper.url)('GET /api/v3/rateLimit/order', {}, eve)).status, 200);
});

test('subscriptions have ids, are listed and end with a last event', async () => {
  await using paper = await start();
  await using socket = await listenTo(`${paper.wsUrl}/ws-api/v3`);
  const refused = await call(socket, 'userDataStream.subscribe');
  assert.deepEqual([pick(refused, 'status'), pick(refused, 'error.code')], [401, -2015]);
  const first = await call(socket, 'userDataStream.subscribe.signature', {}, ann);
  assert.equal(pick(first, 'result.subscriptionId'), 0);
  assert.equal(pick(await call(socket, 'userDataStream.subscribe.signature', {}, ann), 'error.code'), -2035);
  await call(socket, 'session.logon', {}, eve);
  assert.equal(pick(await call(socket, 'userDataStream.subscribe'), 'result.subscriptionId'), 1);
  const listed = await call(socket, 'session.subscriptions');
  assert.deepEqual(pick(listed, 'result'), [{ subscriptionId: 0 }, { subscriptionId: 1 }]);

  const status = await call(socket, 'session.logout');
  assert.deepEqual([pick(status, 'result.apiKey'), pick(status, 'result.userDataStream')], [null, false]);
  const ended = (id: number) => (frame: unknown) =>
    pick(frame, 'subscriptionId') === id && pick(frame, 'event.e') === 'eventStreamTerminated';
  await socket.next(ended(1));
  assert.equal(pick(await call(socket, 'userDataStream.unsubscribe', { subscriptionId: 1 }), 'error.code'), -2036);
  assert.deepEqual(pick(await call(socket, 'userDataStream.unsubscribe'), 'result'), {});
  await socket.next(ended(0));
  assert.deepEqual(pick(await call(socket, 'session.subscriptions'), 'result'), []);
});

test('an address over the weight gets the time to wait until, and a banned one loses its connections', async () => {
  await using paper = await start();
  await using socket = await listenTo(`${paper.wsUrl}/ws-api/v3`);
  const heavy = () => call(socket, 'depth', { symbol: 'BTCUSDT', limit: 5000 });
  let reply = await heavy();
  for (let sent = 0; sent < 60 && pick(reply, 'status') === 200; sent++) reply = await heavy();
  assert.deepEqual([pick(reply, 'status'), pick(reply, 'error.code')], [429, -1003]);
  assert.ok(Number(pick(reply, 'error.data.retryAfter')) > Number(pick(reply, 'error.data.serverTime')) - 60_000);
  let answer = await clientOf(paper.url)('GET /api/v3/ping');
  for (let sent = 0; sent < 30 && answer.status === 429; sent++) answer = await clientOf(paper.url)('GET /api/v3/ping');
  assert.equal(answer.status, 418);
  assert.ok(Number(answer.headers.get('retry-after')) > 100);
  await assert.rejects(listenTo(`${paper.wsUrl}/ws-api/v3`), /429/);
});

test('a sixth message within a second ends a market connection', async () => {
  await using paper = await start();
  await using socket = await listenTo(`${paper.wsUrl}/ws`);
  for (let id = 1; id <= 5; id++) socket.send({ id, method: 'LIST_SUBSCRIPTIONS' });
  await socket.next((frame) => pick(frame, 'id') === 5);
  const closed = socket.closed();
  socket.send({ id: 6, method: 'LIST_SUBSCRIPTIONS' });
  assert.equal(await closed, 1008);
});

test('cancelling one order of a list answers with the list, over REST with the order', async () => {
  await using paper = await startTestServer([{ name: 'ann', ...ann, balances: { BTC: '1' } }]);
  await using socket = await listenTo(`${paper.wsUrl}/ws-api/v3`);
  const pair = {
    ...{ symbol: 'BTCUSDT', side: 'SELL', quantity: '0.01', aboveType: 'LIMIT_MAKER', abovePrice: '200000' },
    ...{ aboveClientOrderId: 'profit', belowType: 'STOP_LOSS', belowStopPrice: '20000', belowClientOrderId: 'loss' },
  };
  const cancel = { symbol: 'BTCUSDT', origClientOrderId: 'loss', newClientOrderId: 'gone' };
  await clientOf(paper.url)('POST /api/v3/orderList/oco', pair, ann);
  const { result } = Object(await call(socket, 'order.cancel', cancel, ann));
  const fields = ['contingencyType', 'listOrderStatus', 'orders.0.clientOrderId', 'orderReports.1.origClientOrderId'];
  assert.deepEqual(
    [...fields, 'orderReports.1.status'].map((field) => pick(result, field)),
    ['OCO', 'ALL_DONE', 'profit', 'loss', 'CANCELED'],
  );
  await clientOf(paper.url)('POST /api/v3/orderList/oco', pair, ann);
  const { body } = await clientOf(paper.url)('DELETE /api/v3/order', cancel, ann);
  assert.deepEqual([pick(body, 'origClientOrderId'), pick(body, 'status')], ['loss', 'CANCELED']);
});
