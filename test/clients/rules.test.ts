import assert from 'node:assert/strict';
import { z } from 'zod';
import type { Operation, Params } from './operations.ts';
import { readOrder } from './raw-json.ts';
import { codeOf, errorOf, isLacking, scenario, symbol, topOf } from './scenario.ts';
import type { StockClient } from './stock-client.ts';

const MARKET_ORDER = { symbol, side: 'SELL', type: 'MARKET', quantity: '0.001' };
const SYMBOLS = { symbols: ['BTCUSDT', 'ETHUSDT'] };
/** The weight of each kind of request; refused where a code is given. */
const WEIGHTS: readonly (readonly [Operation, Params, number, number?])[] = [
  ['time', {}, 1],
  ['exchangeInfo', {}, 20],
  ...(
    [
      [100, 5],
      [500, 25],
      [1000, 50],
      [5000, 250],
    ] as const
  ).map(([limit, weight]) => ['depth', { symbol, limit }, weight] as const),
  ['trades', { symbol }, 25],
  ['historicalTrades', { symbol }, 25],
  ['aggTrades', { symbol }, 4],
  ['klines', { symbol, interval: '1m' }, 2],
  ['uiKlines', { symbol, interval: '1m' }, 2],
  ['avgPrice', { symbol }, 2],
  ['ticker24hr', { symbol }, 2],
  ['ticker24hr', SYMBOLS, 2],
  ['ticker24hr', {}, 80],
  ['tradingDay', SYMBOLS, 8],
  ['rolling', { symbol }, 4],
  ['price', { symbol }, 2],
  ['price', {}, 4],
  ['bookTicker', SYMBOLS, 4],
  ['executionRules', { symbol }, 2],
  ['executionRules', {}, 40],
  ['referencePrice', { symbol }, 2],
  ['account', {}, 20],
  ['listOpen', { symbol }, 6],
  ['listOpen', {}, 80],
  ['listAll', { symbol }, 20],
  ['listFills', { symbol }, 20],
  ['listFills', { symbol, orderId: '1' }, 5],
  ['orderCount', {}, 40],
  ['commission', { symbol }, 20],
  ['preventions', { symbol, orderId: '1' }, 20],
  ['filters', { symbol }, 40],
  ['openLists', {}, 6],
  ['allLists', {}, 20],
  ['tryOrder', MARKET_ORDER, 1],
  ['tryOrder', { ...MARKET_ORDER, computeCommissionRates: 'true' }, 20],
  ['place', MARKET_ORDER, 0],
  ['place', { ...MARKET_ORDER, quantity: '9' }, 1, -2010],
  ['find', { symbol, orderId: '987654321' }, 4, -2013],
  ['cancel', { symbol, orderId: '987654321' }, 1, -2011],
  ['cancelAll', { symbol }, 1, -2011],
  ['findList', { orderListId: '987654321' }, 4, -2013],
];

/** The weight that the calls add; repeats them when a new minute reset the count meanwhile. */
async function weightOf(client: StockClient, calls: () => Promise<unknown>): Promise<number> {
  for (;;) {
    const minute = Math.floor(Date.now() / 60_000);
    await client.send('ping');
    const before = client.usedWeight();
    await calls();
    await client.send('ping');
    if (Math.floor(Date.now() / 60_000) === minute) return client.usedWeight() - before - 1;
  }
}

scenario(
  'every request weighs what is published, and what was placed or cancelled nothing',
  async ({ client, who }) => {
    await client.loadMarkets();
    for (const [operation, params, weight, code] of WEIGHTS) {
      if (isLacking(who, operation)) continue;
      const name = `${operation} ${JSON.stringify(params)}`;
      const call = () => client.send(operation, params);
      const calls = code === undefined ? call : async () => assert.equal(await codeOf(client, call()), code, name);
      assert.equal(await weightOf(client, calls), weight, name);
    }
    // The market makers show nothing at such a price: no queue is ahead.
    const price = (Math.floor((await topOf(client)).bid * 0.95) + 0.37).toFixed(2);
    const order = { side: 'BUY', type: 'LIMIT', quantity: '0.001', price } as const;
    assert.equal(await weightOf(client, async () => client.cancel((await client.place(order)).id)), 0);
  },
);

const counts = z.array(z.object({ interval: z.string(), count: z.coerce.number() }));

scenario('unfilled orders are counted, and a maker’s first fill gives five back', async ({ client, exchange }) => {
  const count = async () => counts.parse(await client.send('orderCount')).find((one) => one.interval === 'DAY')?.count;
  const price = ((await topOf(client)).bid * 0.95).toFixed(2);
  const quantities = ['0.001', '0.001', '0.001', '0.001', '0.001', '0.001', '0.001'];
  for (const quantity of quantities) await client.place({ side: 'BUY', type: 'LIMIT', quantity, price });
  assert.equal(await count(), 7);
  await exchange.control('POST /trade', { symbol, price, quantity: '0.0015' });
  assert.equal(await count(), 0, 'one order filled whole and one in part');
  await client.send('cancelAll', { symbol });
  assert.equal(await count(), 0);
});

const OVERLOADED = 'Server is currently overloaded with other requests. Please try again in a few minutes.';
const NO_KEY = 'Invalid API-key, IP, or permissions for action.';
/** Failures of a placement, without a code where the answer is a page, and the errors of ccxt and @binance/spot. */
const FAULTS: readonly (readonly [status: number, code: number | '', text: string, ccxt: string, spot: string])[] = [
  [400, -1013, 'Filter failure: LOT_SIZE', 'InvalidOrder', 'BadRequestError -1013'],
  [401, -2015, NO_KEY, 'AuthenticationError', 'UnauthorizedError -2015'],
  [403, '', '<html></html>', 'ExchangeNotAvailable', 'ForbiddenError'],
  [410, '', '<html></html>', 'ExchangeNotAvailable', 'ConnectorClientError'],
  [502, '', '<html></html>', 'ExchangeNotAvailable', 'ServerError'],
  [408, -1007, 'Timeout waiting for response from backend server.', 'RequestTimeout', 'ConnectorClientError -1007'],
  [504, -1007, 'Timeout waiting for response from backend server.', 'RequestTimeout', 'ServerError'],
  [409, -2021, 'Order cancel-replace partially failed.', 'ExchangeError', 'ConnectorClientError -2021'],
  [418, -1003, 'Way too much request weight used; IP banned until 1.', 'DDoSProtection', 'RateLimitBanError -1003'],
  [429, -1003, 'Too much request weight used.', 'DDoSProtection', 'TooManyRequestsError -1003'],
  [500, -1000, 'An unknown error occurred while processing the request.', 'OperationFailed', 'ServerError'],
  [503, -1008, OVERLOADED, 'ExchangeError', 'ServerError'],
];

scenario('every failure reaches the client as the real exchange’s would', async ({ client, exchange, who }) => {
  const { bid } = await topOf(client);
  const order = { side: 'BUY', type: 'LIMIT', quantity: '0.001', price: (bid * 0.95).toFixed(2) } as const;
  await client.loadMarkets();
  const toldAfter = async (fault: object): Promise<string> => {
    const match = { method: 'POST', path: '/api/v3/order' };
    await exchange.control('POST /faults', [{ ...fault, match }]);
    return client.reportedAs(await errorOf(client.place(order)));
  };
  for (const [status, code, text, ccxt, spot] of FAULTS) {
    const fault = { kind: 'fail-before', status, body: code === '' ? text : { code, msg: text } };
    assert.equal(await toldAfter(fault), { ccxt, '@binance/spot': spot }[who] ?? String(code), `${status} ${text}`);
  }
  assert.equal(await toldAfter({ kind: 'reset' }), who === 'binance' ? 'ECONNRESET' : 'NetworkError');
  assert.deepEqual(await client.listOpen(), []);
});

scenario('an order whose answer was lost is found by the id the client gave it', async ({ client, exchange }) => {
  const { bid } = await topOf(client);
  await client.loadMarkets();
  const price = (bid * 0.95).toFixed(2);
  const order = { symbol, side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '0.001', price };
  const faults = [{ status: 504 }, { kind: 'reset', applied: true }, { status: 200, body: '<html>' }];
  for (const [at, fault] of faults.entries()) {
    const match = { method: 'POST', path: '/api/v3/order' };
    const newClientOrderId = `x-U5D79M5B-lost-${at}`;
    await exchange.control('POST /faults', [{ kind: 'apply-then-fail', ...fault, match }]);
    await client.send('place', { ...order, newClientOrderId }).catch(() => undefined);
    const found = await client.send('find', { symbol, origClientOrderId: newClientOrderId });
    assert.equal(readOrder(found).status, 'NEW');
    assert.equal(await codeOf(client, client.send('place', { ...order, newClientOrderId })), -2010);
  }
});

scenario(
  'what a client signs is accepted, whatever the symbol and the window',
  async ({ client }) => {
    const unicode = { symbol: '这是测试币456' };
    assert.equal(await codeOf(client, client.send('listFills', unicode)), -1121);
    assert.equal(await codeOf(client, client.send('place', { ...MARKET_ORDER, ...unicode })), -1121);
    assert.equal(typeof (await client.send('account', { recvWindow: 60_000 })), 'object');
    assert.equal(await codeOf(client, client.send('account', { recvWindow: 60_001 })), -1102);
  },
  { kinds: ['HMAC', 'Ed25519', 'RSA'] },
);

scenario(
  'an address that goes on over the limit is warned, then banned',
  async ({ client, exchange }) => {
    const said: string[] = [];
    // The count restarts with the minute: it may take two rounds of 75 requests and eleven warnings.
    while (said.length < 200 && !/banned/.test(said.at(-1) ?? ''))
      said.push(
        await client.send('listOpen').then(
          () => 'ok',
          (error: unknown) => String(Reflect.get(Object(error), 'message')),
        ),
      );
    const warnings = said.filter((one) => one.includes('Too much request weight used; current limit is 6000'));
    assert.ok(warnings.length >= 11, said.join('\n'));
    assert.match(said.at(-1) ?? '', /Way too much request weight used; IP banned until \d+\./);
    assert.equal(await codeOf(client, client.send('ping')), -1003);
    await exchange.control('DELETE /bans');
    await client.send('ping');
  },
  { kinds: ['HMAC'] },
);
