import assert from 'node:assert/strict';
import test from 'node:test';
import { inspect } from 'node:util';
import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import type { OrderDraft } from '#core/order/order.ts';
import type { ExchangeClock, PlaceRequest, TradingPort, WriteOutcome } from '#core/ports/exchange.ts';
import { orderOf } from '#test/exchange/orders.ts';
import {
  type Reaction,
  type Received,
  type ScriptedServer,
  startScriptedServer,
} from '#test/exchange/scripted-server.ts';
import { createRateLimiter, type RateLimiter } from './limits.ts';
import { orderParams } from './order-request.ts';
import { createTrading } from './place.ts';

const ID = 'tw1-0123456789abc-e1';
const NOW = 1_700_000_000_000;
const SECRET = 'CANARYSECRET';
const KEY = 'CANARYKEY';

const reply = {
  symbol: 'BTCUSDT',
  orderId: 28,
  clientOrderId: ID,
  transactTime: NOW,
  price: '0',
  origQty: '2',
  executedQty: '0',
  cummulativeQuoteQty: '0',
  status: 'NEW',
  type: 'MARKET',
  side: 'BUY',
};
const filled = { ...reply, executedQty: '2', cummulativeQuoteQty: '20', status: 'FILLED' };
const trade = {
  symbol: 'BTCUSDT',
  id: 7,
  orderId: 28,
  price: '10',
  qty: '2',
  quoteQty: '20',
  commission: '0.002',
  commissionAsset: 'BTC',
  time: NOW,
  isBuyer: true,
  isMaker: false,
};
const refusal = (code: number, msg: string): Reaction => ({ status: 400, body: { code, msg } });
const ABSENT = refusal(-2013, 'Order does not exist.');
const DUPLICATE = refusal(-2010, 'Duplicate order sent.');

interface Bench extends AsyncDisposable {
  readonly server: ScriptedServer;
  readonly trading: TradingPort;
  readonly clock: { offsetMs: number; syncs: number };
  place(extra?: Partial<PlaceRequest>): Promise<WriteOutcome>;
}

/** `react` answers by `METHOD /path`, e.g. `POST order`. */
async function bench(
  react: (route: string, request: Received) => Reaction,
  limiter: RateLimiter = createRateLimiter(),
): Promise<Bench> {
  const server = await startScriptedServer((request) =>
    react(`${request.method} ${request.path.replace('/api/v3/', '')}`, request),
  );
  const state = { offsetMs: 0, syncs: 0 };
  const clock: ExchangeClock = {
    protocolMs: () => NOW + state.offsetMs,
    marketMs: () => NOW,
    marketSpeed: () => 1,
    async sync() {
      state.syncs += 1;
    },
  };
  const trading = createTrading({ restUrl: server.url, apiKey: KEY, secret: SECRET, clock, limiter });
  return {
    server,
    trading,
    clock: state,
    place: (extra = {}) =>
      trading.place({ order: orderOf(), clientOrderId: ID, sendBeforeMs: NOW + 2_000, halted: () => false, ...extra }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

test('each form of order sends exact plain decimals', () => {
  const price = requireDecimal('0.00000012');
  const stopPrice = requireDecimal('123456789.00000013');
  const cases: readonly (readonly [OrderDraft['form'], object])[] = [
    [{ type: 'market' }, { type: 'MARKET' }],
    [
      { type: 'limit', price },
      { type: 'LIMIT', timeInForce: 'GTC', price: '0.00000012' },
    ],
    [
      { type: 'stop-loss-limit', price, stopPrice },
      { type: 'STOP_LOSS_LIMIT', timeInForce: 'GTC', price: '0.00000012', stopPrice: '123456789.00000013' },
    ],
  ];
  for (const [form, expected] of cases) {
    assert.deepEqual(orderParams(orderOf({ form, side: 'sell' }), ID), {
      symbol: 'BTCUSDT',
      side: 'SELL',
      quantity: '0.0000001',
      newClientOrderId: ID,
      newOrderRespType: 'FULL',
      ...expected,
    });
  }
});

test('a filled order is accepted with its executions, from one signed request', async () => {
  const fills = [{ price: '10', qty: '2', commission: '0.002', commissionAsset: 'BTC', tradeId: 7 }];
  await using on = await bench(() => ({ body: { ...filled, fills } }));
  const outcome = await on.place();
  assert.ok(outcome.kind === 'accepted');
  assert.equal(outcome.order.state, 'filled');
  assert.equal(formatDecimal(outcome.fills[0]?.quoteQuantity ?? requireDecimal('0')), '20');
  const [request] = on.server.requests;
  assert.equal(on.server.requests.length, 1);
  assert.equal(request?.headers['x-mbx-apikey'], KEY);
  assert.equal(request?.query['timestamp'], String(NOW));
  assert.equal(request?.query['recvWindow'], '5000');
  assert.match(request?.rawQuery ?? '', /&signature=[0-9a-f]{64}$/);
});

test('nothing is signed after its time, under a halt, or against the limit', async () => {
  await using on = await bench(() => ({ body: filled }));
  assert.deepEqual(await on.place({ sendBeforeMs: NOW - 1 }), { kind: 'not-sent', reason: 'not-sent-in-time' });
  assert.deepEqual(await on.place({ halted: () => true }), { kind: 'not-sent', reason: 'halted' });
  const banned = createRateLimiter();
  (await banned.acquire({ priority: 'query', weight: 1, waitMs: 0 }))?.settle({
    status: 418,
    code: null,
    usedWeight: undefined,
    retryAfterMs: 60_000,
  });
  await using limited = await bench(() => ({ body: filled }), banned);
  assert.deepEqual(await limited.place(), { kind: 'not-sent', reason: 'rate-limited' });
  assert.equal(on.server.requests.length + limited.server.requests.length, 0);
});

test('the last moment to sign is inclusive', async () => {
  await using on = await bench(() => ({ body: filled }));
  assert.equal((await on.place({ sendBeforeMs: NOW })).kind, 'accepted');
});

test('definite refusals are rejections with code, text and payload', async () => {
  const reactions: readonly Reaction[] = [
    refusal(-2010, 'Account has insufficient balance for requested action.'),
    refusal(-1013, 'Filter failure: LOT_SIZE'),
    { status: 401, body: { code: -2015, msg: 'Invalid API-key, IP, or permissions for action.' } },
    { status: 429, body: { code: -1015, msg: 'Too many new orders' } },
    { status: 503, body: { code: -1008, msg: 'Server is currently overloaded' } },
  ];
  for (const reaction of reactions) {
    await using on = await bench(() => reaction);
    const outcome = await on.place();
    assert.ok(outcome.kind === 'rejected', inspect(outcome));
    assert.deepEqual(outcome.payload, typeof reaction === 'string' ? null : reaction.body);
    assert.equal(on.server.requests.length, 1);
  }
});

test('everything else leaves the outcome unknown, and nothing is sent again', async () => {
  const reactions: readonly Reaction[] = [
    'reset',
    { status: 500, body: { code: -1000, msg: 'An unknown error' } },
    { status: 400, body: { code: -1006, msg: 'Execution status unknown.' } },
    { status: 504, body: { code: -1007, msg: 'Timeout' } },
    { status: 503, body: '<html>' },
    { status: 403, body: '<html>' },
    { status: 200, body: '<html>' },
    { status: 200, body: {} },
    { status: 200, body: { ...filled, clientOrderId: 'tw1-another' } },
    { status: 200, body: { ...filled, symbol: 'ETHUSDT' } },
  ];
  for (const reaction of reactions) {
    await using on = await bench(() => reaction);
    const outcome = await on.place();
    assert.equal(outcome.kind, 'unknown', inspect(reaction));
    assert.equal(on.server.requests.length, 1, inspect(reaction));
  }
});

test('a timestamp outside the window is resynced and resent once, in time only', async () => {
  const late = refusal(-1021, 'Timestamp for this request is outside of the recvWindow.');
  await using on = await bench((_route, { query }) => (query['timestamp'] === String(NOW) ? late : { body: filled }));
  on.clock.offsetMs = 0;
  const [first, second] = [await on.place(), on.clock.syncs];
  assert.equal(first.kind, 'rejected', 'the clock did not move');
  assert.equal(second, 1);
  assert.equal(on.server.requests.length, 2);

  await using moved = await bench((_route, { query }) => {
    moved.clock.offsetMs = 1_500;
    return query['timestamp'] === String(NOW) ? late : { body: filled };
  });
  assert.equal((await moved.place()).kind, 'accepted');
  assert.deepEqual(
    moved.server.requests.map(({ query }) => [query['newClientOrderId'], query['timestamp']]),
    [
      [ID, String(NOW)],
      [ID, String(NOW + 1_500)],
    ],
  );

  await using expired = await bench(() => {
    expired.clock.offsetMs = 2_001;
    return late;
  });
  assert.deepEqual(await expired.place(), { kind: 'not-sent', reason: 'not-sent-in-time' });
  assert.equal(expired.server.requests.length, 1);
});

test('"Duplicate order sent." adopts the order that arrived first', async () => {
  await using on = await bench((route) => {
    if (route === 'POST order') return DUPLICATE;
    return route === 'GET order' ? { body: { ...filled, updateTime: NOW } } : { body: [trade] };
  });
  const outcome = await on.place();
  assert.ok(outcome.kind === 'accepted');
  assert.equal(outcome.order.state, 'filled');
  assert.equal(outcome.fills[0]?.tradeId, '7');
});

test('a duplicate that cannot be read yet stays unknown', async () => {
  const answers: readonly Reaction[] = [ABSENT, { status: 502, body: '<html>' }];
  for (const answer of answers) {
    await using on = await bench((route) => (route === 'POST order' ? DUPLICATE : answer));
    assert.equal((await on.place()).kind, 'unknown');
  }
  await using noFills = await bench((route) => {
    if (route === 'POST order') return DUPLICATE;
    return route === 'GET order' ? { body: { ...filled, updateTime: NOW } } : 'reset';
  });
  assert.equal((await noFills.place()).kind, 'unknown');
});

test('a cancel is reported under the id of the order, with its executions', async () => {
  const cancelled = { ...filled, status: 'CANCELED', origClientOrderId: ID, clientOrderId: `${ID}-c` };
  await using on = await bench((route) => (route === 'DELETE order' ? { body: cancelled } : { body: [trade] }));
  const outcome = await on.trading.cancel('BTCUSDT', ID, `${ID}-c`);
  assert.ok(outcome.kind === 'accepted');
  assert.equal(outcome.order.clientOrderId, ID);
  assert.equal(outcome.order.state, 'cancelled');
  assert.equal(outcome.fills.length, 1);
  assert.equal(on.server.requests[0]?.query['origClientOrderId'], ID);
  assert.equal(on.server.requests[0]?.query['newClientOrderId'], `${ID}-c`);
});

test('a cancel that ends a whole order list reports the order it named', async () => {
  const leg = (name: string, side: string) => ({
    ...{ ...reply, orderId: side === 'BUY' ? 28 : 29, status: 'CANCELED', side },
    ...{ orderListId: 3, origClientOrderId: name, clientOrderId: `${ID}-c` },
  });
  const list = {
    ...{ orderListId: 3, contingencyType: 'OCO', listStatusType: 'ALL_DONE', listOrderStatus: 'ALL_DONE' },
    ...{ listClientOrderId: 'both', transactionTime: NOW, symbol: 'BTCUSDT', orders: [] },
    orderReports: [leg('another', 'SELL'), leg(ID, 'BUY')],
  };
  await using on = await bench((route) => ({ body: route === 'DELETE order' ? list : [] }));
  const outcome = await on.trading.cancel('BTCUSDT', ID, `${ID}-c`);
  assert.ok(outcome.kind === 'accepted', outcome.kind);
  const { exchangeOrderId, clientOrderId, state, listId } = outcome.order;
  assert.deepEqual([exchangeOrderId, clientOrderId, state, listId], ['28', ID, 'cancelled', '3']);
  await using foreign = await bench(() => ({ body: { ...list, orderReports: [leg('another', 'SELL')] } }));
  assert.equal((await foreign.trading.cancel('BTCUSDT', ID, `${ID}-c`)).kind, 'unknown');
});

test('a refused cancel returns the state of the order', async () => {
  const gone = refusal(-2011, 'Unknown order sent.');
  await using on = await bench((route) => {
    if (route === 'DELETE order') return gone;
    return route === 'GET order' ? { body: { ...filled, updateTime: NOW } } : { body: [trade] };
  });
  const outcome = await on.trading.cancel('BTCUSDT', ID, `${ID}-c`);
  assert.ok(outcome.kind === 'accepted');
  assert.equal(outcome.order.state, 'filled');
  await using never = await bench((route) => (route === 'DELETE order' ? gone : ABSENT));
  assert.equal((await never.trading.cancel('BTCUSDT', ID, `${ID}-c`)).kind, 'rejected');
  await using unclear = await bench((route) => (route === 'DELETE order' ? gone : 'reset'));
  assert.equal((await unclear.trading.cancel('BTCUSDT', ID, `${ID}-c`)).kind, 'unknown');
});

test('an order counts as absent only when neither its id nor that of its cancel is known', async () => {
  await using none = await bench(() => ABSENT);
  assert.deepEqual(await none.trading.findOrder('BTCUSDT', { clientOrderId: ID }), { kind: 'absent' });
  assert.deepEqual(
    none.server.requests.map(({ query }) => query['origClientOrderId']),
    [ID, `${ID}-c`],
  );
  const cancelled = { ...reply, status: 'CANCELED', clientOrderId: `${ID}-c`, updateTime: NOW };
  await using on = await bench((_route, { query }) =>
    query['origClientOrderId'] === ID ? ABSENT : { body: cancelled },
  );
  const found = await on.trading.findOrder('BTCUSDT', { clientOrderId: ID });
  assert.ok(found.kind === 'found');
  assert.deepEqual([found.order.clientOrderId, found.order.state], [ID, 'cancelled']);
});

test('a reply without a clear answer about the order is unreadable', async () => {
  const reactions: readonly Reaction[] = [
    'reset',
    { status: 500, body: { code: -1000, msg: 'x' } },
    { status: 200, body: '<html>' },
    refusal(-2026, 'Order was canceled or expired with no executed qty over 90 days ago and has been archived.'),
    { body: { ...reply, clientOrderId: 'tw1-another', updateTime: NOW } },
    { body: { ...reply, symbol: 'ETHUSDT', updateTime: NOW } },
  ];
  for (const reaction of reactions) {
    await using on = await bench(() => reaction);
    const lookup = await on.trading.findOrder('BTCUSDT', { clientOrderId: ID });
    assert.equal(lookup.kind, 'unreadable', inspect(reaction));
  }
});

test('executions are read page by page', async () => {
  const pages = [Array.from({ length: 1_000 }, (_, index) => ({ ...trade, id: index })), [{ ...trade, id: 1_000 }]];
  await using on = await bench((_route, { query }) => ({ body: pages[query['fromId'] === '1000' ? 1 : 0] }));
  const fills = await on.trading.fillsOf('BTCUSDT', '28');
  assert.equal(fills.length, 1_001);
  assert.deepEqual(
    on.server.requests.map(({ query }) => query['fromId']),
    [undefined, '1000'],
  );
});

test('the wallet has exact amounts and the fees of the account', async () => {
  await using on = await bench(() => ({
    body: {
      balances: [{ asset: 'BTC', free: '0.10000000', locked: '0.00000000' }],
      commissionRates: { maker: '0.001', taker: '0.002' },
    },
  }));
  assert.deepEqual(await on.trading.wallet(), {
    wallet: { at: new Date(NOW), balances: { BTC: { free: '0.1', locked: '0' } } },
    makerFee: 0.001,
    takerFee: 0.002,
    permissions: [],
  });
});

test('no outcome shows key, secret or signature, even when the server repeats them', async () => {
  const echo =
    (status: number) =>
    (_route: string, request: Received): Reaction => {
      const text = `${request.rawQuery} ${JSON.stringify(request.headers)} ${SECRET}`;
      return { status, body: status === 400 ? { code: -1102, msg: text } : text };
    };
  for (const status of [200, 400, 502]) {
    await using on = await bench(echo(status));
    const shown = inspect(
      [
        await on.place(),
        await on.trading.cancel('BTCUSDT', ID, `${ID}-c`),
        await on.trading.findOrder('BTCUSDT', { clientOrderId: ID }),
        await on.trading.wallet().catch((error: unknown) => error),
        on.trading,
      ],
      { depth: null, showHidden: true },
    );
    const signatures = on.server.requests.map(({ query }) => query['signature'] ?? '');
    assert.ok(!/CANARY/.test(shown), shown);
    assert.ok(signatures.length > 3 && signatures.every((signature) => !shown.includes(signature)));
  }
});

test('a closed market is distinguished from other refusals', async () => {
  await using closed = await bench(() => refusal(-2010, 'Market is closed.'));
  const outcome = await closed.place();
  assert.ok(outcome.kind === 'rejected' && outcome.doubts === 'rules');
  await using poor = await bench(() => refusal(-2010, 'Account has insufficient balance for requested action.'));
  const other = await poor.place();
  assert.ok(other.kind === 'rejected' && other.doubts === undefined);
});
