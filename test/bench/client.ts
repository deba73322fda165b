import { createServer } from 'node:http';
import { createHmac } from 'node:crypto';
import { Agent, request as sendRequest } from 'undici';
import { WebSocket, WebSocketServer } from 'ws';
import { requireDecimal } from '#core/amount/decimal.ts';
import { createExchangeClock } from '#exchange/clock.ts';
import { orderOf } from '#test/exchange/orders.ts';
import { createRateLimiter } from '#exchange/limits.ts';
import { createMarketStream } from '#exchange/market-stream.ts';
import { createTrading } from '#exchange/place.ts';
import { pick } from '#test/paper/client.ts';
import { report } from './report.ts';

/**
 * From a price frame on the wire to the order's request at the server, on loopback and without a database: the client of
 * this product next to the least that a program can do, a bare socket and a bare request, in turns in the same run.
 */
const WARM_UP = 2_000;
const ROUNDS = 6_000;
const KEY = { apiKey: 'bench-key', secret: 'bench-secret' };
const COINS = 100;

/** A server of streams and orders in this process, so that both ends of a measurement have one clock. */
const http = createServer((message, response) => {
  arrived(performance.now());
  const query = new URL(message.url ?? '/', 'http://bench').searchParams;
  response.setHeader('content-type', 'application/json');
  response.setHeader('x-mbx-used-weight-1m', '1');
  response.end(answerTo(query.get('newClientOrderId') ?? ''));
});
const answerTo = (clientOrderId: string): string =>
  `{"symbol":"C1USDT","orderId":1,"clientOrderId":"${clientOrderId}","transactTime":1,"price":"0","origQty":"1","executedQty":"1","cummulativeQuoteQty":"1","status":"FILLED","type":"MARKET","side":"BUY","fills":[]}`;
let arrived: (atMs: number) => void = () => undefined;
const streams = new WebSocketServer({ server: http });
const readers: Record<string, WebSocket> = {};
streams.on('connection', (socket, { url = '' }) => {
  readers[url] = socket;
  socket.on('message', (data) => {
    const request: unknown = JSON.parse(String(data));
    socket.send(JSON.stringify({ result: null, id: pick(request, 'id') }));
  });
});
await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
const address = http.address();
const port = address === null || typeof address === 'string' ? 0 : address.port;
const restUrl = `http://127.0.0.1:${port}`;

/** Each lane answers a price event with an order; both are called with the number of the round. */
let order: (round: number) => Promise<void> = async () => undefined;
const agent = new Agent({ pipelining: 1, connections: 32 });
async function orderBare(round: number): Promise<void> {
  const order = `symbol=C1USDT&side=BUY&quantity=1&newClientOrderId=b-${round}&newOrderRespType=FULL&type=MARKET`;
  const params = `${order}&recvWindow=5000&timestamp=${Date.now()}`;
  const signature = createHmac('sha256', KEY.secret).update(params).digest('hex');
  const path = `${restUrl}/api/v3/order?${params}&signature=${signature}`;
  const reply = await sendRequest(path, {
    method: 'POST',
    headers: { 'user-agent': 'bare', accept: 'application/json', 'x-mbx-apikey': KEY.apiKey },
    dispatcher: agent,
  });
  JSON.parse(await reply.body.text());
}
const limiter = createRateLimiter();
// Measures the time of the client, not the limits of the exchange.
limiter.setLimits({
  weight: { windowMs: 60_000, limit: 10_000_000 },
  requests: { windowMs: 300_000, limit: 10_000_000 },
  orders: [{ windowMs: 10_000, limit: 10_000_000 }],
});
const clock = createExchangeClock(async () => ({ serverTime: Date.now() }));
const trading = createTrading({ ...KEY, restUrl, clock, limiter });
const draft = orderOf({ symbol: 'C1USDT', quantity: requireDecimal('1') });
async function orderOurs(round: number): Promise<void> {
  const sendBeforeMs = clock.protocolMs() + 2_000;
  const outcome = await trading.place({ order: draft, clientOrderId: `b-${round}`, sendBeforeMs, halted: () => false });
  if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome));
}

const bare = new WebSocket(`${restUrl.replace('http', 'ws')}/bare`, { perMessageDeflate: false });
bare.on('message', (data) => {
  const frame: unknown = JSON.parse(String(data));
  void order(Number(pick(frame, 'data.p')));
});
const ours = createMarketStream({ streamUrl: restUrl.replace('http', 'ws') })((event) => {
  if (event.kind === 'price') void order(Number(event.price / 10n ** 18n));
  if (event.kind === 'connected') connected.resolve();
});
const connected = Promise.withResolvers<void>();
ours.update(Array.from({ length: COINS }, (_, index) => ({ symbol: `C${index}USDT`, interval: '1m' as const })));
await Promise.all([connected.promise, new Promise((resolve) => bare.once('open', resolve))]);

/** One frame sent and its order seen; ms in between. */
async function measure(path: '/bare' | '/stream', round: number): Promise<number> {
  const done = Promise.withResolvers<void>();
  const seen = Promise.withResolvers<number>();
  arrived = seen.resolve;
  order = async (price) => (path === '/bare' ? orderBare(price) : orderOurs(price)).then(done.resolve, done.reject);
  const data = { e: 'trade', E: 1, s: 'C1USDT', t: round, p: String(round), q: '1', T: Date.now(), m: true, M: true };
  const sentMs = performance.now();
  readers[path]?.send(JSON.stringify({ stream: 'c1usdt@trade', data }));
  const atMs = await seen.promise;
  await done.promise;
  return atMs - sentMs;
}

const times: Record<'/bare' | '/stream', number[]> = { '/bare': [], '/stream': [] };
for (let round = 1; round <= WARM_UP + ROUNDS; round++) {
  for (const path of round % 2 === 0 ? (['/bare', '/stream'] as const) : (['/stream', '/bare'] as const)) {
    const ms = await measure(path, round);
    if (round > WARM_UP) times[path].push(ms);
  }
}
const at = (list: readonly number[], share: number): number =>
  list.toSorted((a, b) => a - b)[Math.floor(share * (list.length - 1))] ?? 0;
console.table(
  (
    [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const
  ).map(([name, share]) => {
    const [floor, client] = [at(times['/bare'], share), at(times['/stream'], share)];
    const ratio = client / floor;
    report({
      ...{ id: `client.${name}`, what: `exchange client, price frame to order, ${name}`, unit: 'ms' },
      ...{ values: [client], floor: { name: 'a bare socket and request', values: [floor] } },
    });
    return {
      what: `price frame to order at the server, ${name}`,
      'bare ms': floor.toFixed(3),
      'client ms': client.toFixed(3),
      ratio: ratio.toFixed(2),
    };
  }),
);
await ours[Symbol.asyncDispose]();
bare.terminate();
streams.close();
http.closeAllConnections();
http.close();
