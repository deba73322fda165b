import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cancelIdOf } from '#core/order/order.ts';
import { ORDER_TIMING } from '#core/order/order-timing.ts';
import type { ListRequest, MarketPort, PlaceRequest, TradingPort } from '#core/ports/exchange.ts';
import { ExchangeError } from '#exchange/errors.ts';
import { createRateLimiter } from '#exchange/limits.ts';
import { createMarketReader } from '#exchange/read.ts';
import { until } from '#test/flow/until.ts';
import { type ClientBench, openClient, SYMBOL } from './client-bench.ts';
import type { RequestFault } from './fault-table.ts';

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
  'too many orders': {
    fault: { kind: 'fail-before', status: 429, body: failure(-1015, 'Too many new orders.') },
    ...{ write: 'rejected', done: false, read: 'too-many-orders' },
  },
  'an unknown execution status': {
    fault: { kind: 'fail-before', status: 400, body: failure(-1006, 'Execution status unknown.') },
    ...{ write: 'unknown', done: false, read: 'status-unknown' },
  },
  'an archived order': {
    fault: { kind: 'fail-before', status: 400, body: failure(-2026, 'Order was archived.') },
    ...{ write: 'rejected', done: false, read: 'order-archived' },
  },
  'a refused key': {
    fault: { kind: 'fail-before', status: 401, body: failure(-2015, 'Invalid API-key, IP, or permissions.') },
    ...{ write: 'rejected', done: false, read: 'key-refused' },
  },
  'a redirect': {
    fault: { kind: 'fail-before', status: 302, body: '', headers: { location: '/login' } },
    ...{ write: 'unknown', done: false, read: 'unreadable' },
  },
  'a ban': {
    fault: { kind: 'fail-before', status: 418, body: WEIGHT, headers: { 'Retry-After': '1' } },
    ...{ write: 'rejected', done: false, read: 'banned' },
  },
};

let on: ClientBench;
/** An account for each fault: the exchange allows 100 orders in ten seconds of each. */
before(async () => {
  on = await openClient(Object.keys(CELLS));
});
after(() => on[Symbol.asyncDispose]());

interface Attempt {
  readonly clean: TradingPort;
  readonly faulty: TradingPort;
  arm(method: RequestFault['match']['method'], path: string): Promise<unknown>;
}

/** Each write as `outcome, done or not`. */
const WRITES: Readonly<Record<string, (attempt: Attempt) => Promise<string>>> = {
  async place({ clean, faulty, arm }) {
    const request = await on.requestOf('0.9');
    await arm('POST', '/api/v3/order');
    const { kind } = await faulty.place(request);
    return `${kind}, ${(await on.stateOf(clean, request.clientOrderId)) === 'open'}`;
  },
  async cancel({ clean, faulty, arm }) {
    const { clientOrderId } = await rest(clean);
    await arm('DELETE', '/api/v3/order');
    const { kind } = await faulty.cancel(SYMBOL, clientOrderId, cancelIdOf(clientOrderId));
    return `${kind}, ${(await on.stateOf(clean, clientOrderId)) === 'cancelled'}`;
  },
  async cancelReplace({ clean, faulty, arm }) {
    const { clientOrderId: cancelClientOrderId } = await rest(clean);
    const request = await on.requestOf('0.89');
    await arm('POST', '/api/v3/order/cancelReplace');
    const ids = { cancelClientOrderId, cancelId: cancelIdOf(cancelClientOrderId) };
    const { cancelled, placed } = await faulty.cancelReplace({ ...request, ...ids });
    const states = [await on.stateOf(clean, cancelClientOrderId), await on.stateOf(clean, request.clientOrderId)];
    assert.ok(['cancelled,open', 'open,absent'].includes(states.join()), `one half took effect: ${states.join()}`);
    assert.equal(placed.kind, cancelled.kind === 'rejected' ? 'not-attempted' : cancelled.kind);
    return `${cancelled.kind}, ${states[0] === 'cancelled'}`;
  },
  async placeList({ clean, faulty, arm }) {
    const request = await on.listOf();
    await arm('POST', '/api/v3/orderList/oco');
    const outcomes = await faulty.placeList(request);
    return `${onlyOf(outcomes.map(({ kind }) => kind))}, ${(await legsIn(clean, request)) === 'open'}`;
  },
  async cancelList({ clean, faulty, arm }) {
    const request = await on.listOf();
    await clean.placeList(request);
    await arm('DELETE', '/api/v3/orderList');
    const legs = [request.stop.clientOrderId, request.target.clientOrderId];
    const outcomes = await faulty.cancelList({ symbol: SYMBOL, listId: request.listId, legs });
    const state = await legsIn(clean, request);
    await clean.cancelList({ symbol: SYMBOL, listId: request.listId, legs });
    return `${onlyOf(outcomes.map(({ kind }) => kind))}, ${state === 'absent'}`;
  },
};

/** The one value that all have. */
function onlyOf(values: readonly string[]): string {
  assert.equal(new Set(values).size, 1, values.join());
  return values[0] ?? '';
}
const legsIn = async (trading: TradingPort, { stop, target }: ListRequest): Promise<string> =>
  onlyOf([await on.stateOf(trading, stop.clientOrderId), await on.stateOf(trading, target.clientOrderId)]);

async function rest(trading: TradingPort): Promise<PlaceRequest> {
  const request = await on.requestOf('0.9');
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
for (const [name, cell] of Object.entries(CELLS)) {
  test(`${name}: a write is ${cell.write}, a read is ${cell.read}`, async () => {
    // Windows of the wall clock must not end the count of one fault inside another.
    await on.control('DELETE /bans');
    await on.control('DELETE /log');
    const arm = async (method: string, path: string): Promise<void> => {
      await on.control('DELETE /faults');
      await on.control('POST /faults', [{ match: { method, path }, ...cell.fault }]);
    };
    const [found, expected]: Record<string, string>[] = [{}, {}];
    assert.ok(found !== undefined && expected !== undefined);
    for (const [write, perform] of Object.entries(WRITES)) {
      found[write] = await perform({ clean: on.connect(name), faulty: on.connect(name), arm });
      expected[write] = `${cell.write}, ${cell.done}`;
    }
    const read = async <Port>(of: string, port: Port, [path, ask]: Read<Port>): Promise<void> => {
      await arm('GET', `/api/v3/${path}`);
      found[of] = await ask(port).then(() => 'answered', reasonOf);
    };
    for (const [of, call] of Object.entries(SIGNED)) {
      await read(of, on.connect(name), call);
      expected[of] = cell.read;
    }
    for (const [of, call] of Object.entries(UNSIGNED)) {
      await read(of, createMarketReader({ restUrl: on.paper.url, limiter: createRateLimiter() }), call);
      expected[of] = cell.unsigned ?? cell.read;
    }
    await arm('GET', '/api/v3/order');
    found['findOrder'] = (await on.connect(name).findOrder(SYMBOL, { exchangeOrderId: '999999999' })).kind;
    expected['findOrder'] = cell.read === 'answered' ? 'absent' : 'unreadable';
    assert.deepEqual(found, expected);
    await on.control('DELETE /faults');
    assertRequests(await on.log());
  });
}

/** Only signed requests carry the key; no request moves money out or uses a listen key, which the exchange removed. */
function assertRequests(requests: Awaited<ReturnType<ClientBench['log']>>): void {
  assert.ok(requests.length > 20);
  for (const { path, headers, params } of requests) {
    const carriesKey = headers.some((header) => header.toLowerCase() === 'x-mbx-apikey');
    assert.equal(carriesKey, params.includes('signature'), path);
    assert.ok(!/withdraw|transfer|sapi|userDataStream/.test(path), path);
  }
}

test('a write slower than the patience is unknown, and is found once it has arrived', async () => {
  const timing = { ...ORDER_TIMING, patienceMs: 500 };
  const request = await on.requestOf('0.9');
  await on.control('POST /faults', [
    { match: { method: 'POST', path: '/api/v3/order' }, kind: 'delay', delayMs: 1_500 },
  ]);
  assert.equal((await on.connect('no fault', { timing }).place(request)).kind, 'unknown');
  const states = new Set<string>();
  await until('the late order to be found', async () => {
    states.add(await on.stateOf(on.connect('no fault'), request.clientOrderId));
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
  await on.control('POST /faults', [
    { ...refusal, status: 429 },
    { ...refusal, status: 418 },
  ]);
  await on.control('DELETE /log');
  const trading = on.connect('a slow answer');
  const request = await on.requestOf('0.9');
  const place = (forMs: number) => trading.place({ ...request, sendBeforeMs: on.market.clock.protocolMs() + forMs });
  const kinds = [];
  for (const forMs of [60_000, 100, 60_000, 100]) kinds.push((await place(forMs)).kind);
  assert.deepEqual(kinds, ['rejected', 'not-sent', 'rejected', 'not-sent']);
  const sent = (await on.log()).filter(({ path }) => path === match.path);
  assert.equal(sent.length, 2);
});
