import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import test from 'node:test';
import { inspect } from 'node:util';
import { request as sendRequest } from 'undici';
import { z } from 'zod';
import { add, type Decimal, floorToStep, formatDecimal, multiply, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { cancelIdOf, clientOrderIdOf, type OrderDraft } from '#core/order/order.ts';
import type { AccountEvent, MarketEvent, MarketPort, TradingPort, WriteOutcome } from '#core/ports/exchange.ts';
import { createAccountStream } from '#exchange/account-stream.ts';
import { checkKey } from '#exchange/check-key.ts';
import { ExchangeError } from '#exchange/errors.ts';
import { orderOf } from '#test/exchange/orders.ts';
import { collect } from '#test/exchange/scripted-server.ts';
import { createMarketStream } from '#exchange/market-stream.ts';
import { createTrading } from '#exchange/place.ts';
import { createMarketReader } from '#exchange/read.ts';
import { parseAccounts } from '#paper/exchange/accounts.ts';
import { type PaperExchange, startPaper } from '#paper/server.ts';

const pem = (
  key: { export(options: { type: 'pkcs8' | 'spki'; format: 'pem' }): string | Buffer },
  type: 'pkcs8' | 'spki',
) => String(key.export({ type, format: 'pem' }));
const ed25519 = generateKeyPairSync('ed25519');
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const balances = { USDT: '10000', BTC: '1' };
const KEYS = {
  hmac: 'a-plain-secret',
  ed25519: pem(ed25519.privateKey, 'pkcs8'),
  rsa: pem(rsa.privateKey, 'pkcs8'),
  reader: 'another-plain-secret',
} as const;
const ACCOUNTS = [
  { name: 'hmac', apiKey: 'key-hmac', secret: KEYS.hmac, balances },
  { name: 'ed25519', apiKey: 'key-ed25519', publicKeyPem: pem(ed25519.publicKey, 'spki'), balances },
  { name: 'rsa', apiKey: 'key-rsa', publicKeyPem: pem(rsa.publicKey, 'spki'), balances },
  { name: 'reader', apiKey: 'key-reader', secret: KEYS.reader, permissions: ['READ'], balances },
];
const SYMBOL = 'BTCUSDT';

interface Bench extends AsyncDisposable {
  readonly paper: PaperExchange;
  readonly market: MarketPort;
  trading(name: keyof typeof KEYS, secret?: string): TradingPort;
  place(trading: TradingPort, draft: Partial<OrderDraft>, clientOrderId?: string): Promise<WriteOutcome>;
  /** A price on the grid, `share` of the last one. */
  priceAt(share: string): Promise<Decimal>;
  control(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<unknown>;
}

const logged = z.array(
  z.object({ method: z.string(), path: z.string(), headers: z.array(z.string()), params: z.array(z.string()) }),
);
let sequence = 0;
const nextId = (): string => {
  const { profileId, symbol, purpose } = orderOf();
  return clientOrderIdOf({ profileId, symbol, purpose, sequence: ++sequence });
};

async function bench(speed = 1): Promise<Bench> {
  const paper = await startPaper({
    port: 0,
    controlPort: 0,
    accounts: parseAccounts(ACCOUNTS, 'The accounts of this test'),
    source: { kind: 'synthetic' },
    clock: { kind: 'real' },
    speed,
    seed: 5,
  });
  const market = createMarketReader({ restUrl: paper.url });
  await market.clock.sync();
  return {
    paper,
    market,
    trading: (name, secret = KEYS[name]) =>
      createTrading({ restUrl: paper.url, apiKey: `key-${name}`, secret, clock: market.clock }),
    place: (trading, draft, clientOrderId = nextId()) =>
      trading.place({
        order: orderOf({ symbol: SYMBOL, quantity: requireDecimal('0.002'), ...draft }),
        clientOrderId,
        sendBeforeMs: market.clock.protocolMs() + 2_000,
        halted: () => false,
      }),
    priceAt: async (share) =>
      floorToStep(multiply(await market.price(SYMBOL), requireDecimal(share)), requireDecimal('0.01')),
    async control(method, path, body) {
      const text = body === undefined ? null : JSON.stringify(body);
      const reply = await sendRequest(`${paper.controlUrl}${path}`, {
        method,
        headers: paper.controlHeaders,
        body: text,
      });
      assert.equal(reply.statusCode, 200);
      return reply.body.json();
    },
    [Symbol.asyncDispose]: () => paper[Symbol.asyncDispose](),
  };
}

const sum = (amounts: readonly Decimal[]): Decimal => amounts.reduce(add, ZERO);

test('market data come without a key', async () => {
  await using on = await bench();
  const rules = await on.market.rules();
  const bitcoin = rules.find(({ symbol }) => symbol === SYMBOL);
  assert.ok(
    bitcoin !== undefined && bitcoin.status === 'TRADING' && bitcoin.lot.step > ZERO && bitcoin.price.tick > ZERO,
  );
  const candles = await on.market.candles({ symbol: SYMBOL, interval: '1h', limit: 100 });
  assert.equal(candles.length, 100);
  assert.deepEqual(
    candles.map(({ closed }) => closed),
    [...Array.from({ length: 99 }, () => true), false],
  );
  const older = await on.market.candles({
    symbol: SYMBOL,
    interval: '1h',
    limit: 10,
    beforeMs: candles[50]?.openMs ?? 0,
  });
  assert.deepEqual(older, candles.slice(40, 50));
  assert.ok((await on.market.price(SYMBOL)) > ZERO);
  assert.ok(((await on.market.prices()).get(SYMBOL) ?? ZERO) > ZERO);
  const requests = logged.parse(await on.control('GET', '/log'));
  assert.ok(requests.length >= 4);
  for (const { path, headers, params } of requests) {
    assert.ok(!headers.some((name) => /^(x-mbx-apikey|cookie)$/i.test(name)), path);
    assert.ok(!params.includes('signature') && !params.includes('timestamp'), path);
  }
});

for (const name of ['hmac', 'ed25519', 'rsa'] as const) {
  test(`orders and account events with a key of kind ${name}`, async () => {
    await using on = await bench();
    const trading = on.trading(name);
    const seen = collect<AccountEvent>();
    const wsApiUrl = `${on.paper.wsUrl}/ws-api/v3`;
    const open = createAccountStream({ wsApiUrl, apiKey: `key-${name}`, secret: KEYS[name], clock: on.market.clock });
    await using _stream = open(seen.push);
    await seen.until(({ kind }) => kind === 'connected');

    const bought = await on.place(trading, { side: 'buy' });
    assert.ok(bought.kind === 'accepted', inspect(bought));
    assert.equal(bought.order.state, 'filled');
    assert.equal(formatDecimal(sum(bought.fills.map(({ quantity }) => quantity))), '0.002');
    assert.equal(sum(bought.fills.map(({ quoteQuantity }) => quoteQuantity)), bought.order.filledQuote);

    const event = await seen.until((each) => each.kind === 'order' && each.order.state === 'filled');
    assert.ok(event.kind === 'order' && event.fill !== null);
    assert.equal(event.order.clientOrderId, bought.order.clientOrderId);
    const streamed = seen.events.flatMap((each) => (each.kind === 'order' && each.fill !== null ? [each.fill] : []));
    const stored = await trading.fillsOf(SYMBOL, bought.order.exchangeOrderId);
    assert.deepEqual(streamed, stored, 'the stream and the list of trades tell the same executions');
    assert.deepEqual(bought.fills, stored, 'so does the reply to the order');
    const change = await seen.until((each) => each.kind === 'balances');
    const { wallet, takerFee } = await trading.wallet();
    assert.ok(change.kind === 'balances' && takerFee > 0);
    assert.deepEqual(change.balances['BTC'], wallet.balances['BTC']);
    const calls = logged.parse(await on.control('GET', '/log')).filter(({ method }) => method === 'WS');
    const signed = ['userDataStream.subscribe.signature'];
    const session = ['session.logon', 'userDataStream.subscribe'];
    assert.deepEqual(
      calls.map(({ path }) => path),
      name === 'ed25519' ? session : signed,
    );

    await on.control('POST', '/keys', { account: name, revoked: true });
    const lost = await seen.until(({ kind }) => kind === 'disconnected');
    assert.ok(lost.kind === 'disconnected' && !lost.cause.includes(`key-${name}`), inspect(lost));
  });
}

test('a resting order is found, cancelled once, and found again under its own id', async () => {
  await using on = await bench();
  const trading = on.trading('hmac');
  const price = await on.priceAt('0.9');
  const placed = await on.place(trading, { form: { type: 'limit', price } });
  assert.ok(placed.kind === 'accepted', inspect(placed));
  const { clientOrderId, exchangeOrderId } = placed.order;
  assert.deepEqual([placed.order.state, placed.order.price, placed.fills.length], ['open', price, 0]);
  assert.deepEqual(
    (await trading.openOrders(SYMBOL)).orders.map((order) => order.clientOrderId),
    [clientOrderId],
  );
  assert.equal((await trading.openOrders()).orders.length, 1);

  for (let round = 0; round < 2; round++) {
    const cancelled = await trading.cancel(SYMBOL, clientOrderId, cancelIdOf(clientOrderId));
    assert.ok(cancelled.kind === 'accepted', inspect(cancelled));
    assert.deepEqual([cancelled.order.state, cancelled.order.clientOrderId], ['cancelled', clientOrderId]);
  }
  for (const by of [{ clientOrderId }, { exchangeOrderId }]) {
    const lookup = await trading.findOrder(SYMBOL, by);
    assert.ok(
      lookup.kind === 'found' && lookup.order.state === 'cancelled' && lookup.order.clientOrderId === clientOrderId,
    );
  }
  assert.deepEqual(
    (await trading.recentOrders(SYMBOL)).orders.map((order) => order.clientOrderId),
    [clientOrderId],
  );
  assert.deepEqual(await trading.findOrder(SYMBOL, { clientOrderId: nextId() }), { kind: 'absent' });
  assert.equal((await trading.cancel(SYMBOL, nextId(), 'tw1-none-c')).kind, 'rejected');
});

test('a stop order rests with both of its prices', async () => {
  await using on = await bench();
  const [stopPrice, price] = [await on.priceAt('0.9'), await on.priceAt('0.89')];
  const form = { type: 'stop-loss-limit', stopPrice, price } as const;
  const placed = await on.place(on.trading('hmac'), { side: 'sell', purpose: 'stop', form });
  assert.ok(placed.kind === 'accepted', inspect(placed));
  assert.deepEqual([placed.order.state, placed.order.price, placed.order.stopPrice], ['open', price, stopPrice]);
});

test('refusals are rejections with the text of the exchange', async () => {
  await using on = await bench();
  const trading = on.trading('hmac');
  const price = await on.priceAt('0.9');
  const cases: readonly (readonly [Partial<OrderDraft>, number, RegExp])[] = [
    [{ quantity: requireDecimal('0.000000001') }, -1111, /too much precision/],
    [{ form: { type: 'limit', price: add(price, requireDecimal('0.001')) } }, -1013, /Filter failure: PRICE_FILTER/],
    [{ form: { type: 'limit', price }, quantity: requireDecimal('0.00001') }, -1013, /NOTIONAL/],
    [{ quantity: requireDecimal('5') }, -2010, /insufficient balance/],
    [{ symbol: 'NOPEUSDT' }, -1121, /Invalid symbol/],
  ];
  for (const [draft, code, text] of cases) {
    const outcome = await on.place(trading, draft);
    assert.ok(outcome.kind === 'rejected', inspect(outcome));
    assert.match(outcome.message, text);
    assert.equal(outcome.code, code);
    assert.partialDeepStrictEqual(outcome.payload, { code });
  }
  const forbidden = await on.place(on.trading('reader'), {});
  assert.ok(forbidden.kind === 'rejected' && forbidden.code === -2015);
});

test('an order whose reply is lost is unknown, is found, and is never doubled', async () => {
  await using on = await bench();
  const trading = on.trading('hmac');
  const match = { method: 'POST', path: '/api/v3/order' };
  for (const fault of [{ kind: 'apply-then-fail' }, { kind: 'reset', applied: true }]) {
    await on.control('POST', '/faults', [{ match, ...fault }]);
    const clientOrderId = nextId();
    const draft: Partial<OrderDraft> = { form: { type: 'limit', price: await on.priceAt('0.9') } };
    assert.equal((await on.place(trading, draft, clientOrderId)).kind, 'unknown');
    const lookup = await trading.findOrder(SYMBOL, { clientOrderId });
    assert.ok(lookup.kind === 'found' && lookup.order.state === 'open');
    const again = await on.place(trading, draft, clientOrderId);
    assert.ok(again.kind === 'accepted' && again.order.exchangeOrderId === lookup.order.exchangeOrderId);
  }
  assert.equal((await trading.openOrders(SYMBOL)).orders.length, 2);
});

test('an order that never reached the exchange is unknown, and absent', async () => {
  await using on = await bench();
  const trading = on.trading('hmac');
  const match = { method: 'POST', path: '/api/v3/order' };
  for (const fault of [{ kind: 'fail-before', status: 502 }, { kind: 'reset' }]) {
    await on.control('POST', '/faults', [{ match, ...fault }]);
    const clientOrderId = nextId();
    assert.equal((await on.place(trading, {}, clientOrderId)).kind, 'unknown');
    assert.deepEqual(await trading.findOrder(SYMBOL, { clientOrderId }), { kind: 'absent' });
  }
  const overloaded = { status: 503, body: { code: -1008, msg: 'Server is currently overloaded with other requests.' } };
  await on.control('POST', '/faults', [{ match, kind: 'fail-before', ...overloaded }]);
  assert.equal((await on.place(trading, {})).kind, 'rejected');
});

test('a clock that is off is set right, and the order arrives once', async () => {
  await using on = await bench();
  let offMs = 60_000;
  const clock = {
    ...on.market.clock,
    protocolMs: () => on.market.clock.protocolMs() - offMs,
    sync: async () => void (offMs = 0),
  };
  const trading = createTrading({ restUrl: on.paper.url, apiKey: 'key-hmac', secret: KEYS.hmac, clock });
  const outcome = await on.place(trading, {});
  assert.equal(outcome.kind, 'accepted');
  assert.equal((await trading.recentOrders(SYMBOL)).orders.length, 1);
});

test('a key is healthy, or has a cause', async () => {
  await using on = await bench();
  const { clock } = on.market;
  const check = (apiKey: string, secret: string, live = false) =>
    checkKey({ restUrl: on.paper.url, apiKey, secret, clock, live });
  const healthy = await check('key-ed25519', KEYS.ed25519);
  assert.ok(healthy.status === 'healthy' && /not checked/.test(healthy.unchecked ?? ''));
  assert.deepEqual(await check('key-hmac', KEYS.hmac, true), { status: 'healthy', unchecked: null });
  assert.equal((await check('key-hmac', 'the-wrong-secret')).status, 'error');
  const verdict = await check('nobody', 'x');
  assert.ok(verdict.status === 'error' && /IP allow-list/.test(verdict.cause));
  await on.control('POST', '/faults', [{ match: { path: '/api/v3/account' }, kind: 'reset' }]);
  assert.deepEqual(await check('key-hmac', KEYS.hmac), { status: null });
});

test('the market stream tells prices and closed candles, and comes back after a cut', async () => {
  await using on = await bench(60);
  const seen = collect<MarketEvent>();
  await using stream = createMarketStream({ streamUrl: on.paper.wsUrl })(seen.push);
  stream.update([{ symbol: SYMBOL, interval: '1m' }]);
  await seen.until(({ kind }) => kind === 'connected');
  const price = await seen.until(({ kind }) => kind === 'price');
  assert.ok(price.kind === 'price' && price.symbol === SYMBOL && price.price > ZERO);
  const candle = await seen.until(({ kind }) => kind === 'candle');
  assert.ok(candle.kind === 'candle' && candle.interval === '1m' && candle.candle.high >= candle.candle.low);
  assert.ok(seen.events.every((event) => event.kind !== 'candle' || event.candle.closed));
  await on.control('POST', '/streams/drop');
  await seen.until(({ kind }) => kind === 'disconnected');
  await seen.until(({ kind }) => kind === 'connected');
  await seen.until(({ kind }) => kind === 'price');
});

test('in a fast market the candles close by market time, while orders go by the wall clock', async () => {
  await using on = await bench(600);
  const seen = collect<MarketEvent>();
  await using stream = createMarketStream({ streamUrl: on.paper.wsUrl })(seen.push);
  stream.update([{ symbol: SYMBOL, interval: '1m' }]);
  const closed = (event: MarketEvent): boolean => event.kind === 'candle' && event.candle.closed;
  const [first, second] = [await seen.until(closed), await seen.until(closed)];
  assert.ok(first.kind === 'candle' && second.kind === 'candle');
  assert.equal(second.candle.openMs, first.candle.closeMs);
  assert.ok(on.market.clock.marketMs() >= second.candle.closeMs);
  const stored = await on.market.candles({ symbol: SYMBOL, interval: '1m', limit: 1_000, fromMs: first.candle.openMs });
  assert.deepEqual(stored.slice(0, 2), [first.candle, second.candle]);
  assert.ok(stored.every(({ closed: done, closeMs }) => done || closeMs > second.candle.closeMs));
  assert.equal((await on.place(on.trading('hmac'), {})).kind, 'accepted');
});

test('reads fail as errors with a reason', async () => {
  await using on = await bench();
  await assert.rejects(
    on.market.candles({ symbol: 'NOPEUSDT', interval: '1m', limit: 1 }),
    (error) => error instanceof ExchangeError && error.reason === 'bad-symbol',
  );
});
