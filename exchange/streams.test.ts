import assert from 'node:assert/strict';
import test from 'node:test';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import type { AccountEvent, ExchangeClock, MarketEvent } from '#core/ports/exchange.ts';
import { createAccountStream } from './account-stream.ts';
import { collect, startScriptedSocketServer } from '#test/exchange/scripted-server.ts';
import { createMarketStream } from './market-stream.ts';
import { signHmac } from './signing.ts';
import { SOCKET_TIMING } from './socket.ts';

const FAST = { ...SOCKET_TIMING, firstDelayMs: 5, longestDelayMs: 20 };
const control = z.object({ id: z.number(), method: z.string(), params: z.array(z.string()) });
const subscribe = z.object({
  id: z.number(),
  method: z.literal('userDataStream.subscribe.signature'),
  params: z.object({ apiKey: z.string(), timestamp: z.number(), recvWindow: z.number(), signature: z.string() }),
});
const send = (socket: WebSocket | undefined, body: unknown) => socket?.send(JSON.stringify(body));
const trade = (price: string, t = 1) => ({
  stream: 'btcusdt@trade',
  data: { e: 'trade', s: 'BTCUSDT', p: price, T: 1, t },
});
const closedCandle = (t: number) => ({
  stream: 'btcusdt@kline_1m',
  data: { e: 'kline', s: 'BTCUSDT', k: { t, i: '1m', o: '1', h: '1', l: '1', c: '1', v: '1', x: true } },
});
const pricesOf = (events: readonly MarketEvent[]): string[] =>
  events.flatMap((event) => (event.kind === 'price' ? [formatDecimal(event.price)] : []));
const connected = (event: { kind: string }) => event.kind === 'connected';
const disconnected = (event: { kind: string }) => event.kind === 'disconnected';

/** A market server that acknowledges every control message and records it, per socket. */
async function marketServer() {
  const received: string[] = [];
  const server = await startScriptedSocketServer((message, socket) => {
    const { id, method, params } = control.parse(message);
    received.push(`${server.sockets.indexOf(socket)} ${method} ${params.join(' ')}`);
    send(socket, { result: null, id });
  });
  return { server, received };
}

test('a market stream subscribes, publishes prices, follows its wanted set and reconnects', async () => {
  const { server, received } = await marketServer();
  await using _server = server;
  const seen = collect<MarketEvent>();
  await using stream = createMarketStream({ streamUrl: server.url, timing: FAST })(seen.push);
  stream.update([{ symbol: 'BTCUSDT', interval: '1h' }]);
  await seen.until(connected);
  assert.deepEqual(server.paths, ['/stream']);
  assert.deepEqual(received, ['0 SUBSCRIBE btcusdt@trade btcusdt@kline_1h']);
  send(server.sockets[0], trade('2.5'));
  const price = await seen.until((event) => event.kind === 'price');
  assert.ok(price.kind === 'price' && price.symbol === 'BTCUSDT');

  stream.update([{ symbol: 'ETHUSDT', interval: '1m' }]);
  server.sockets[0]?.terminate();
  await seen.until(disconnected);
  await seen.until(connected);
  assert.equal(received.at(-1), '1 SUBSCRIBE ethusdt@trade ethusdt@kline_1m');
});

test('a shrunk set is unsubscribed', async () => {
  const { server, received } = await marketServer();
  await using _server = server;
  const seen = collect<MarketEvent>();
  await using stream = createMarketStream({ streamUrl: server.url, timing: FAST })(seen.push);
  stream.update([
    { symbol: 'BTCUSDT', interval: '1h' },
    { symbol: 'BTCUSDT', interval: '1m' },
  ]);
  await seen.until(connected);
  const unsubscribed = Promise.withResolvers<void>();
  server.sockets[0]?.on('message', () => unsubscribed.resolve());
  stream.update([{ symbol: 'BTCUSDT', interval: '1m' }]);
  await unsubscribed.promise;
  assert.equal(received.at(-1), '0 UNSUBSCRIBE btcusdt@kline_1h');
});

test('silence and a missing pong each end in a new connection', async () => {
  const { server } = await marketServer();
  await using _server = server;
  const seen = collect<MarketEvent>();
  {
    const timing = { ...FAST, pingMs: 20, silenceMs: 60 };
    await using stream = createMarketStream({ streamUrl: server.url, timing })(seen.push);
    stream.update([{ symbol: 'BTCUSDT', interval: '1h' }]);
    await seen.until((event) => event.kind === 'disconnected' && /fell silent/.test(event.cause));
  }
  const deaf = await startScriptedSocketServer(() => undefined);
  await using _deaf = deaf;
  const timing = { ...FAST, pingMs: 50 };
  await using _stream = createMarketStream({ streamUrl: deaf.url, timing })(seen.push);
  await seen.until(connected);
  // A paused server neither reads the ping nor answers it.
  for (const socket of deaf.sockets) socket.pause();
  await seen.until((event) => event.kind === 'disconnected' && /did not answer a ping/.test(event.cause));
});

test('an absent host is reported once, and garbage frames are ignored', async () => {
  const gone = await startScriptedSocketServer(() => undefined);
  await gone[Symbol.asyncDispose]();
  const seen = collect<MarketEvent>();
  await using _stream = createMarketStream({ streamUrl: gone.url, timing: FAST })(seen.push);
  const event = await seen.until(disconnected);
  assert.ok(event.kind === 'disconnected' && /ECONNREFUSED/.test(event.cause), JSON.stringify(event));

  const { server } = await marketServer();
  await using _server = server;
  const other = collect<MarketEvent>();
  await using _other = createMarketStream({ streamUrl: server.url, timing: FAST })(other.push);
  await other.until(connected);
  for (const garbage of ['<html>', '{"cut', '{}', '[]']) server.sockets[0]?.send(garbage);
  send(server.sockets[0], trade('1'));
  await other.until((each) => each.kind === 'price');
  assert.deepEqual(
    other.events.map(({ kind }) => kind),
    ['connected', 'price'],
  );
});

/** Resolves once `socket` of the server has closed. */
const closed = (socket: WebSocket | undefined): Promise<void> =>
  new Promise((resolve) => (socket === undefined ? undefined : socket.once('close', () => resolve())));

for (const reason of ['a notice of shutdown', 'the end of its life'] as const) {
  test(`${reason} changes the connection without a gap, a repeat or an event`, async () => {
    const { server, received } = await marketServer();
    await using _server = server;
    const seen = collect<MarketEvent>();
    const old = reason === 'the end of its life' ? { pingMs: 1_000, lifetimeMs: 500 } : {};
    const timing = { ...FAST, overlapMs: 500, ...old };
    await using stream = createMarketStream({ streamUrl: server.url, timing })(seen.push);
    stream.update([{ symbol: 'BTCUSDT', interval: '1m' }]);
    await seen.until(connected);
    const [first] = server.sockets;
    const firstClosed = closed(first);
    send(first, trade('1', 1));
    if (reason === 'a notice of shutdown') send(first, { stream: '!serverShutdown', data: { e: 'serverShutdown' } });
    await subscribedOn(server, received, 1);
    // On a slow machine the successor may already have a successor.
    const sendLater = (frame: unknown): void => server.sockets.slice(1).forEach((socket) => send(socket, frame));
    // Both bring what happens now, either of them first.
    send(first, trade('2', 2));
    send(first, closedCandle(60_000));
    sendLater(trade('2', 2));
    sendLater(closedCandle(60_000));
    sendLater(trade('3', 3));
    await seen.until((event) => event.kind === 'price' && formatDecimal(event.price) === '3');
    send(first, trade('3', 3));
    await firstClosed;
    sendLater(trade('4', 4));
    await seen.until((event) => event.kind === 'price' && formatDecimal(event.price) === '4');
    assert.deepEqual(pricesOf(seen.events), ['1', '2', '3', '4']);
    assert.equal(seen.events.filter(({ kind }) => kind === 'candle').length, 1);
    assert.deepEqual(seen.events.filter(connected).length, 1);
    assert.ok(!seen.events.some(disconnected));
  });
}

/** Resolves once the server's socket of this number has been subscribed to something. */
async function subscribedOn(server: { sockets: readonly WebSocket[] }, received: readonly string[], number: number) {
  while (!received.some((line) => line.startsWith(`${number} SUBSCRIBE`))) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.ok(server.sockets[number] !== undefined);
}

test('an old connection that is cut before its successor is ready is reported as lost', async () => {
  const received: number[] = [];
  const server = await startScriptedSocketServer((message, socket) => {
    const { id } = control.parse(message);
    const number = server.sockets.indexOf(socket);
    received.push(number);
    // The second connection is never acknowledged.
    if (number !== 1) send(socket, { result: null, id });
  });
  await using _server = server;
  const seen = collect<MarketEvent>();
  await using stream = createMarketStream({ streamUrl: server.url, timing: FAST })(seen.push);
  stream.update([{ symbol: 'BTCUSDT', interval: '1m' }]);
  await seen.until(connected);
  send(server.sockets[0], { stream: '!serverShutdown', data: { e: 'serverShutdown' } });
  while (!received.includes(1)) await new Promise((resolve) => setTimeout(resolve, 5));
  server.sockets[0]?.terminate();
  await seen.until(disconnected);
  server.sockets[1]?.terminate();
  await seen.until(connected);
});

test('more streams than a connection carries are spread, and stay where they are', async () => {
  const { server, received } = await marketServer();
  await using _server = server;
  const seen = collect<MarketEvent>();
  await using stream = createMarketStream({ streamUrl: server.url, timing: FAST })(seen.push);
  const many = Array.from({ length: 513 }, (_, index) => ({ symbol: `C${index}USDT`, interval: '1h' as const }));
  stream.update(many);
  await seen.until(connected);
  const streamsOn = (number: number): string[] =>
    received.flatMap((line) => (line.startsWith(`${number} SUBSCRIBE`) ? line.split(' ').slice(2) : []));
  assert.equal(server.sockets.length, 2);
  assert.deepEqual([streamsOn(0).length, streamsOn(1).length], [1_000, 26]);
  const moved = received.length;
  stream.update(many.slice(1));
  while (received.length === moved) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(received.slice(moved), ['0 UNSUBSCRIBE c0usdt@trade c0usdt@kline_1h']);
});

const clock: ExchangeClock = {
  protocolMs: () => 1_700_000_000_000,
  marketMs: () => 0,
  marketSpeed: () => 1,
  sync: async () => undefined,
};
const report = {
  e: 'executionReport',
  s: 'BTCUSDT',
  c: 'tw1-a-e1',
  S: 'BUY',
  o: 'MARKET',
  q: '1',
  p: '0',
  P: '0',
  x: 'NEW',
  X: 'NEW',
  i: 1,
  l: '0',
  z: '0',
  L: '0',
  n: '0',
  N: null,
  T: 1,
  t: -1,
  m: false,
  Z: '0',
  Y: '0',
};

test('an account stream is connected once its signed subscription is acknowledged, and again after each break', async () => {
  const requests: z.infer<typeof subscribe>[] = [];
  const server = await startScriptedSocketServer((message, socket) => {
    const request = subscribe.parse(message);
    requests.push(request);
    send(socket, { id: request.id, status: 200, result: { subscriptionId: 0 } });
    send(socket, { subscriptionId: 0, event: report });
  });
  await using _server = server;
  const seen = collect<AccountEvent>();
  const timing = { ...FAST, overlapMs: 50 };
  const open = createAccountStream({ wsApiUrl: server.url, apiKey: 'K', secret: 'S', clock, timing });
  await using _stream = open(seen.push);
  await seen.until((event) => event.kind === 'order');
  assert.deepEqual(
    seen.events.map(({ kind }) => kind),
    ['connected', 'order'],
  );
  assert.equal(requests[0]?.params.signature, signHmac('apiKey=K&recvWindow=5000&timestamp=1700000000000', 'S'));

  send(server.sockets[0], { subscriptionId: 0, event: { e: 'eventStreamTerminated', E: 1 } });
  await seen.until(disconnected);
  await seen.until(connected);
  assert.equal(server.sockets.length, 1, 'the same socket subscribes again');

  send(server.sockets[0], { subscriptionId: 0, event: { ...report, X: 'NEWISH' } });
  await seen.until((event) => event.kind === 'disconnected' && /cannot be read/.test(event.cause));
  await seen.until(connected);

  const before = seen.events.filter(connected).length;
  const ended = closed(server.sockets[1]);
  send(server.sockets[1], { event: { e: 'serverShutdown', E: 1 } });
  await ended;
  send(server.sockets[2], { subscriptionId: 0, event: { ...report, i: 77 } });
  await seen.until((event) => event.kind === 'order' && event.order.exchangeOrderId === '77');
  assert.equal(seen.events.filter(connected).length, before, 'the new connection stood before the old one went');
});

test('a refused subscription says why, without the key', async () => {
  const server = await startScriptedSocketServer((message, socket) => {
    const { id, params } = subscribe.parse(message);
    send(socket, { id, status: 401, error: { code: -2015, msg: `Invalid API-key ${params.apiKey}` } });
  });
  await using _server = server;
  const seen = collect<AccountEvent>();
  const open = createAccountStream({ wsApiUrl: server.url, apiKey: 'CANARYKEY', secret: 'S', clock, timing: FAST });
  await using _stream = open(seen.push);
  const event = await seen.until(disconnected);
  assert.ok(
    event.kind === 'disconnected' && event.cause.includes('-2015') && !event.cause.includes('CANARY'),
    JSON.stringify(event),
  );
});

test('a clock that is off is synced before the next attempt', async () => {
  let syncs = 0;
  const server = await startScriptedSocketServer((message, socket) => {
    const { id } = subscribe.parse(message);
    const late = {
      id,
      status: 400,
      error: { code: -1021, msg: 'Timestamp for this request is outside of the recvWindow.' },
    };
    send(socket, syncs === 0 ? late : { id, status: 200, result: { subscriptionId: 0 } });
  });
  await using _server = server;
  const seen = collect<AccountEvent>();
  const syncing: ExchangeClock = { ...clock, sync: async () => void (syncs += 1) };
  await using _stream = createAccountStream({
    wsApiUrl: server.url,
    apiKey: 'K',
    secret: 'S',
    clock: syncing,
    timing: FAST,
  })(seen.push);
  await seen.until(connected);
  assert.equal(syncs, 1);
});

test('balances that arrive after newer ones change nothing', async () => {
  const position = (u: number, ...rows: [string, string][]) => ({
    subscriptionId: 0,
    event: { e: 'outboundAccountPosition', E: u, u, B: rows.map(([a, f]) => ({ a, f, l: '0' })) },
  });
  const server = await startScriptedSocketServer((message, socket) => {
    send(socket, { id: subscribe.parse(message).id, status: 200, result: { subscriptionId: 0 } });
    for (const event of [position(2, ['A', '2']), position(1, ['A', '1'], ['B', '1']), position(1, ['A', '1'])])
      send(socket, event);
    send(socket, position(3, ['C', '3']));
  });
  await using _server = server;
  const seen = collect<AccountEvent>();
  const open = createAccountStream({ wsApiUrl: server.url, apiKey: 'K', secret: 'S', clock, timing: FAST });
  await using _stream = open(seen.push);
  await seen.until((event) => event.kind === 'balances' && 'C' in event.balances);
  const received = seen.events.flatMap((event) => (event.kind === 'balances' ? Object.keys(event.balances) : []));
  assert.deepEqual(received, ['A', 'B', 'C']);
});

test('the stream waits for the end of a rate limit', async () => {
  let attempts = 0;
  const server = await startScriptedSocketServer((message, socket) => {
    const { id } = subscribe.parse(message);
    attempts += 1;
    const error = { code: -1003, msg: 'Too much request weight used.', data: { retryAfter: clock.protocolMs() + 300 } };
    send(socket, attempts === 1 ? { id, status: 429, error } : { id, status: 200, result: { subscriptionId: 0 } });
  });
  await using _server = server;
  const seen = collect<AccountEvent>();
  await using _stream = createAccountStream({ wsApiUrl: server.url, apiKey: 'K', secret: 'S', clock, timing: FAST })(
    seen.push,
  );
  const startedMs = performance.now();
  await seen.until(connected);
  assert.ok(performance.now() - startedMs >= 250 && attempts === 2);
});

test('a silent stream whose price moves is reported as lost and reconnects; a coin without trades is not', async () => {
  const { server } = await marketServer();
  await using _server = server;
  const seen = collect<MarketEvent>();
  await using stream = createMarketStream({ streamUrl: server.url, timing: FAST })(seen.push);
  stream.update([{ symbol: 'BTCUSDT', interval: '1m' }]);
  await seen.until(connected);
  send(server.sockets[0], trade('1'));
  await seen.until((event) => event.kind === 'price');
  const read = (price: string) => stream.compare(new Map([['BTCUSDT', requireDecimal(price)]]));
  while (!seen.events.some(disconnected)) {
    read('2');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const lost = seen.events.find(disconnected);
  assert.ok(lost?.kind === 'disconnected' && /BTCUSDT is silent/.test(lost.cause));
  await seen.until((event) => event.kind === 'connected');
});
