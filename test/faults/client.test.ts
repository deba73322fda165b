import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { z } from 'zod';
import { floorToStep, multiply, requireDecimal } from '#core/amount/decimal.ts';
import { cancelIdOf, clientOrderIdOf } from '#core/order/order.ts';
import { ORDER_TIMING } from '#core/order/order-timing.ts';
import type { MarketPort, PlaceRequest, TradingPort } from '#core/ports/exchange.ts';
import { ExchangeError } from '#exchange/errors.ts';
import { orderOf } from '#test/exchange/orders.ts';
import { createRateLimiter } from '#exchange/limits.ts';
import { createTrading } from '#exchange/place.ts';
import { createMarketReader } from '#exchange/read.ts';
import { parseAccounts } from '#paper/exchange/accounts.ts';
import { type PaperExchange, startPaper } from '#paper/server.ts';
import { control as askControl } from '#test/paper/test-server.ts';
import { until } from '#test/flow/until.ts';
import type { RequestFault } from './fault-table.ts';

const SYMBOL = 'BTCUSDT';
const HTML = '<html><body>Bad Gateway</body></html>';
const failure = (code: number, msg: string) => ({ code, msg });
const CLOCK = failure(-1021, 'Timestamp for this request is outside of the recvWindow.');
const WEIGHT = failure(-1003, 'Too much request weight used.');
const OVERLOAD = failure(-1008, 'Server is currently overloaded with other requests.');

/** Results of calls under a fault: a write's outcome and whether the exchange applied it, a read's reason. */
interface Cell {
  readonly fault: Omit<RequestFault, 'match'>;
  readonly write: 'accepted' | 'rejected' | 'unknown';
  readonly done: boolean;
  readonly read: string;
  /** Where it differs for calls that carry no timestamp. */
  readonly unsigned?: string;
}

const before502 = { kind: 'fail-before', status: 502 } as const;
const CELLS: Readonly<Record<string, Cell>> = {
  'no fault': { fault: { kind: 'delay', delayMs: 1 }, write: 'accepted', done: true, read: 'answered' },
  'a slow answer': { fault: { kind: 'delay', delayMs: 200 }, write: 'accepted', done: true, read: 'answered' },
  'an HTML page, nothing done': {
    fault: { ...before502, body: HTML },
    write: 'unknown',
    done: false,
    read: 'server-fault',
  },
  'an HTML page, all done': {
    fault: { kind: 'apply-then-fail', status: 502, body: HTML },
    ...{ write: 'unknown', done: true, read: 'server-fault' },
  },
  'a page of the firewall': {
    fault: { kind: 'fail-before', status: 403, body: HTML },
    ...{ write: 'unknown', done: false, read: 'blocked' },
  },
  'a route that is gone': {
    fault: { kind: 'fail-before', status: 410, body: HTML },
    ...{ write: 'unknown', done: false, read: 'gone' },
  },
  'half of a success, nothing done': {
    fault: { kind: 'fail-before', status: 200, body: '{"orderId":' },
    ...{ write: 'unknown', done: false, read: 'unreadable' },
  },
  'an empty success, all done': {
    fault: { kind: 'apply-then-fail', status: 200, body: {} },
    ...{ write: 'unknown', done: true, read: 'unreadable' },
  },
  'a timeout inside the exchange, nothing done': {
    fault: { kind: 'fail-before', status: 504 },
    ...{ write: 'unknown', done: false, read: 'status-unknown' },
  },
  'a timeout inside the exchange, all done': {
    fault: { kind: 'apply-then-fail', status: 504 },
    ...{ write: 'unknown', done: true, read: 'status-unknown' },
  },
  'an error without a code, all done': {
    fault: { kind: 'apply-then-fail', status: 500, body: {} },
    ...{ write: 'unknown', done: true, read: 'server-fault' },
  },
  'a reset, nothing done': { fault: { kind: 'reset' }, write: 'unknown', done: false, read: 'network' },
  'a reset, all done': { fault: { kind: 'reset', applied: true }, write: 'unknown', done: true, read: 'network' },
  'an overload': {
    fault: { kind: 'fail-before', status: 503, body: OVERLOAD },
    ...{ write: 'rejected', done: false, read: 'overloaded' },
  },
  'a clock that is off once': {
    fault: { kind: 'fail-before', status: 400, body: CLOCK },
    ...{ write: 'accepted', done: true, read: 'answered', unsigned: 'bad-clock' },
  },
  'a clock that stays off': {
    fault: { kind: 'fail-before', status: 400, body: CLOCK, times: 2 },
    ...{ write: 'rejected', done: false, read: 'bad-clock' },
  },
  'a used-up limit': {
    fault: { kind: 'fail-before', status: 429, body: WEIGHT, headers: { 'Retry-After': '1' } },
    ...{ write: 'rejected', done: false, read: 'rate-limited' },
  },
  'a ban': {
    fault: { kind: 'fail-before', status: 418, body: WEIGHT, headers: { 'Retry-After': '1' } },
    ...{ write: 'rejected', done: false, read: 'banned' },
  },
};

let paper: PaperExchange;
let market: MarketPort;
const resources = new AsyncDisposableStack();
/** An account for each fault: the exchange allows 100 orders in ten seconds of each. */
const keyOf = (index: number) => ({ apiKey: `client-key-${index}`, secret: `client-secret-${index}` });

before(async () => {
  const names = Object.keys(CELLS);
  const rows = names.map((name, index) => ({ name, ...keyOf(index), balances: { USDT: '10000', BTC: '1' } }));
  const accounts = parseAccounts(rows, 'The accounts of the test');
  const places = { source: { kind: 'synthetic' }, clock: { kind: 'real' }, port: 0, controlPort: 0 } as const;
  paper = resources.use(await startPaper({ ...places, accounts, speed: 1, seed: 5 }));
  market = createMarketReader({ restUrl: paper.url, limiter: createRateLimiter() });
  await market.clock.sync();
});
after(() => resources.disposeAsync());

const control = (method: string, path: string, body?: unknown): Promise<unknown> =>
  askControl(paper, `${method} ${path}`, body);

/** A client with separate limits: a limit that a fault set for one must not affect the next. */
const connect = (index: number): TradingPort =>
  createTrading({ ...keyOf(index), restUrl: paper.url, clock: market.clock, limiter: createRateLimiter() });

let sequence = 0;
async function buyAt(share: string): Promise<PlaceRequest> {
  const price = floorToStep(multiply(await market.price(SYMBOL), requireDecimal(share)), requireDecimal('0.01'));
  const order = orderOf({ symbol: SYMBOL, quantity: requireDecimal('0.002'), form: { type: 'limit', price } });
  const { profileId, symbol, purpose } = order;
  const clientOrderId = clientOrderIdOf({ profileId, symbol, purpose, sequence: ++sequence });
  return { order, clientOrderId, sendBeforeMs: market.clock.protocolMs() + 60_000, halted: () => false };
}

interface Attempt {
  readonly clean: TradingPort;
  readonly faulty: TradingPort;
  arm(method: RequestFault['match']['method'], path: string): Promise<unknown>;
}

const stateOf = async (trading: TradingPort, clientOrderId: string): Promise<string> => {
  const lookup = await trading.findOrder(SYMBOL, { clientOrderId });
  return lookup.kind === 'found' ? lookup.order.state : lookup.kind;
};

/** Each write as `outcome, done or not`. */
const WRITES: Readonly<Record<string, (attempt: Attempt) => Promise<string>>> = {
  async place({ clean, faulty, arm }) {
    const request = await buyAt('0.9');
    await arm('POST', '/api/v3/order');
    const { kind } = await faulty.place(request);
    return `${kind}, ${(await stateOf(clean, request.clientOrderId)) === 'open'}`;
  },
  async cancel({ clean, faulty, arm }) {
    const { clientOrderId } = await rest(clean);
    await arm('DELETE', '/api/v3/order');
    const { kind } = await faulty.cancel(SYMBOL, clientOrderId, cancelIdOf(clientOrderId));
    return `${kind}, ${(await stateOf(clean, clientOrderId)) === 'cancelled'}`;
  },
  async cancelReplace({ clean, faulty, arm }) {
    const { clientOrderId: cancelClientOrderId } = await rest(clean);
    const request = await buyAt('0.89');
    await arm('POST', '/api/v3/order/cancelReplace');
    const ids = { cancelClientOrderId, cancelId: cancelIdOf(cancelClientOrderId) };
    const { cancelled, placed } = await faulty.cancelReplace({ ...request, ...ids });
    const states = [await stateOf(clean, cancelClientOrderId), await stateOf(clean, request.clientOrderId)];
    assert.ok(['cancelled,open', 'open,absent'].includes(states.join()), `one half took effect: ${states.join()}`);
    assert.equal(placed.kind, cancelled.kind === 'rejected' ? 'not-attempted' : cancelled.kind);
    return `${cancelled.kind}, ${states[0] === 'cancelled'}`;
  },
};

async function rest(trading: TradingPort): Promise<PlaceRequest> {
  const request = await buyAt('0.9');
  assert.equal((await trading.place(request)).kind, 'accepted');
  return request;
}

type Read<Port> = readonly [path: string, ask: (port: Port) => Promise<unknown>];
const SIGNED: Readonly<Record<string, Read<TradingPort>>> = {
  wallet: ['account', (port) => port.wallet()],
  openOrders: ['openOrders', (port) => port.openOrders(SYMBOL)],
  'openOrders of all coins': ['openOrders', (port) => port.openOrders()],
  recentOrders: ['allOrders', (port) => port.recentOrders(SYMBOL)],
  fillsOf: ['myTrades', (port) => port.fillsOf(SYMBOL, '1')],
  tradesAfter: ['myTrades', (port) => port.tradesAfter(SYMBOL, null)],
};
const UNSIGNED: Readonly<Record<string, Read<MarketPort>>> = {
  rules: ['exchangeInfo', (port) => port.rules()],
  candles: ['klines', (port) => port.candles({ symbol: SYMBOL, interval: '1m', limit: 2 })],
  price: ['ticker/price', (port) => port.price(SYMBOL)],
  prices: ['ticker/price', (port) => port.prices()],
};

const reasonOf = (error: unknown): string => {
  if (error instanceof ExchangeError) return error.reason;
  throw error;
};
const logged = z.array(
  z.object({ method: z.string(), path: z.string(), headers: z.array(z.string()), params: z.array(z.string()) }),
);

for (const [index, [name, cell]] of Object.entries(CELLS).entries()) {
  test(`${name}: a write is ${cell.write}, a read is ${cell.read}`, async () => {
    // Windows of the wall clock must not end the count of one fault inside another.
    await control('DELETE', '/bans');
    await control('DELETE', '/log');
    const arm = async (method: string, path: string): Promise<void> => {
      await control('DELETE', '/faults');
      await control('POST', '/faults', [{ match: { method, path }, ...cell.fault }]);
    };
    const [found, expected]: Record<string, string>[] = [{}, {}];
    assert.ok(found !== undefined && expected !== undefined);
    for (const [write, perform] of Object.entries(WRITES)) {
      found[write] = await perform({ clean: connect(index), faulty: connect(index), arm });
      expected[write] = `${cell.write}, ${cell.done}`;
    }
    const read = async <Port>(of: string, port: Port, [path, ask]: Read<Port>): Promise<void> => {
      await arm('GET', `/api/v3/${path}`);
      found[of] = await ask(port).then(() => 'answered', reasonOf);
    };
    for (const [of, call] of Object.entries(SIGNED)) {
      await read(of, connect(index), call);
      expected[of] = cell.read;
    }
    for (const [of, call] of Object.entries(UNSIGNED)) {
      await read(of, createMarketReader({ restUrl: paper.url, limiter: createRateLimiter() }), call);
      expected[of] = cell.unsigned ?? cell.read;
    }
    await arm('GET', '/api/v3/order');
    found['findOrder'] = (await connect(index).findOrder(SYMBOL, { exchangeOrderId: '999999999' })).kind;
    expected['findOrder'] = cell.read === 'answered' ? 'absent' : 'unreadable';
    assert.deepEqual(found, expected);
    await control('DELETE', '/faults');
    assertRequests(logged.parse(await control('GET', '/log')));
  });
}

/** Only signed requests carry the key; no request moves money out or uses a listen key, which the exchange removed. */
function assertRequests(requests: z.output<typeof logged>): void {
  assert.ok(requests.length > 20);
  for (const { path, headers, params } of requests) {
    const carriesKey = headers.some((header) => header.toLowerCase() === 'x-mbx-apikey');
    assert.equal(carriesKey, params.includes('signature'), path);
    assert.ok(!/withdraw|transfer|sapi|userDataStream/.test(path), path);
  }
}

test('a write slower than the patience is unknown, and is found once it has arrived', async () => {
  const timing = { ...ORDER_TIMING, patienceMs: 500 };
  const link = { ...keyOf(0), restUrl: paper.url, clock: market.clock, limiter: createRateLimiter() };
  const request = await buyAt('0.9');
  await control('POST', '/faults', [
    { match: { method: 'POST', path: '/api/v3/order' }, kind: 'delay', delayMs: 1_500 },
  ]);
  assert.equal((await createTrading({ ...link, timing }).place(request)).kind, 'unknown');
  const states = new Set<string>();
  await until('the late order to be found', async () => {
    states.add(await stateOf(connect(0), request.clientOrderId));
    return states.has('open');
  });
  assert.deepEqual(
    [...states].filter((state) => state !== 'absent'),
    ['open'],
  );
});

test('a limit that is followed by a ban: nothing is sent between the two, nor after the second', async () => {
  const match = { method: 'POST', path: '/api/v3/order' };
  const refusal = { match, kind: 'fail-before', body: WEIGHT, headers: { 'Retry-After': '1' } };
  await control('POST', '/faults', [
    { ...refusal, status: 429 },
    { ...refusal, status: 418 },
  ]);
  await control('DELETE', '/log');
  const trading = connect(1);
  const request = await buyAt('0.9');
  const place = (forMs: number) => trading.place({ ...request, sendBeforeMs: market.clock.protocolMs() + forMs });
  const kinds = [];
  for (const forMs of [60_000, 100, 60_000, 100]) kinds.push((await place(forMs)).kind);
  assert.deepEqual(kinds, ['rejected', 'not-sent', 'rejected', 'not-sent']);
  const sent = logged.parse(await control('GET', '/log')).filter(({ path }) => path === match.path);
  assert.equal(sent.length, 2);
});
