import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { callByName, type Ccxt, openCcxtClient } from './ccxt-client.ts';
import { MARKET_QUERIES, type MarketQuery, type Params } from './operations.ts';
import { depthSnapshot } from './raw-json.ts';
import { codeOf, isLacking, scenario, symbol, topOf } from './scenario.ts';
import { openSpotClient } from './spot-client.ts';
import { KEYS, openExchange, type ClientExchange } from './client-exchange.ts';
import { areInstalled, type BookSeen } from './stock-client.ts';

scenario('markets load with their limits', async ({ client }) => {
  const markets = await client.loadMarkets();
  assert.ok(markets.length >= 25);
  for (const { symbol, active, tick, step, minQuantity, maxQuantity, minNotional } of markets) {
    assert.ok(active && tick > 0 && step > 0 && minNotional > 0, symbol);
    assert.ok(minQuantity > 0 && minQuantity <= maxQuantity, symbol);
  }
});

const PARAMS: Readonly<Partial<Record<MarketQuery, readonly Params[]>>> = {
  exchangeInfo: [{}, { symbol }, { symbols: ['BTCUSDT', 'LTCBTC'] }],
  depth: [{ symbol }, { symbol, limit: 5000 }],
  trades: [{ symbol, limit: 10 }],
  historicalTrades: [{ symbol, limit: 10 }],
  blockTrades: [{ symbol, fromId: 0 }],
  aggTrades: [{ symbol, limit: 10 }],
  klines: [{ symbol, interval: '1m', limit: 1000 }],
  uiKlines: [{ symbol, interval: '1d', limit: 10 }],
  avgPrice: [{ symbol }],
  ticker24hr: [{ symbol }, { symbols: ['BTCUSDT', 'ETHUSDT'] }, {}],
  tradingDay: [{ symbol }, { symbols: ['BTCUSDT', 'ETHUSDT'] }],
  rolling: [{ symbol }, { symbols: ['BTCUSDT', 'ETHUSDT'] }],
  executionRules: [{ symbol }, {}],
  referencePrice: [{ symbol }],
  referenceCalculation: [{ symbol }],
  price: [{ symbol }, { symbols: ['BTCUSDT', 'ETHUSDT'] }, {}],
  bookTicker: [{ symbol }, { symbols: ['BTCUSDT', 'ETHUSDT'] }, {}],
};

scenario('every market-data query answers', async ({ client, who }) => {
  for (const query of MARKET_QUERIES) {
    if (isLacking(who, query)) continue;
    for (const params of PARAMS[query] ?? [{}]) {
      const answer = await client.send(query, params);
      assert.equal(typeof answer, 'object', query);
      if (query !== 'ping' && query !== 'blockTrades') assert.ok(Object.keys(Object(answer)).length > 0, query);
    }
  }
});

const number = z.coerce.number();
const day = z.object({
  ...{ lastPrice: number, openPrice: number, highPrice: number, lowPrice: number, weightedAvgPrice: number },
  ...{ bidPrice: number, askPrice: number, volume: number, quoteVolume: number, openTime: number, closeTime: number },
});
const STEP = 0.00001;

/** Both sides strictly sorted and not crossed, every level with a size. */
function checkBook({ bids, asks }: Pick<BookSeen, 'bids' | 'asks'>): void {
  for (const [side, sign] of [
    [bids, -1],
    [asks, 1],
  ] as const) {
    const prices = Array.from(side, ([price]) => price);
    assert.deepEqual(
      prices,
      [...new Set(prices)].toSorted((a, b) => sign * (a - b)),
    );
    assert.ok(prices.length > 0 && Array.from(side).every(([, quantity]) => quantity > 0));
  }
  assert.ok((bids[0]?.[0] ?? Infinity) < (asks[0]?.[0] ?? 0));
}

scenario('a ticker and a book hold together', async ({ client }) => {
  const ticker = day.parse(await client.send('ticker24hr', { symbol }));
  const { lastPrice: last, highPrice: high, lowPrice: low, volume, quoteVolume } = ticker;
  assert.ok(Object.values(ticker).every((value) => value > 0));
  assert.ok(low <= last && last <= high && low <= ticker.openPrice && ticker.openPrice <= high);
  assert.ok(ticker.bidPrice < ticker.askPrice && ticker.openTime < ticker.closeTime);
  assert.ok((volume - STEP) * low <= quoteVolume && quoteVolume <= (volume + STEP) * high);
  for (const limit of [5, 1000, 5000]) {
    const book = depthSnapshot.parse(await client.send('depth', { symbol, limit }));
    checkBook(book);
    assert.ok(Math.max(book.bids.length, book.asks.length) <= limit);
  }
});

scenario(
  'the user stream tells every step of an order',
  async ({ client, exchange }) => {
    const orders = await client.followOrders();
    await exchange.untilCalled('userDataStream.subscribe', 'userDataStream.subscribe.signature');
    const { bid } = await topOf(client);
    const limit = { side: 'BUY', type: 'LIMIT', quantity: '0.001', price: (bid / 1.045).toFixed(2) } as const;
    const resting = await client.place(limit);
    const born = await orders.next((one) => one.id === resting.id);
    assert.deepEqual([born.status, born.clientId, born.quantity], ['NEW', resting.clientId, 0.001]);
    await client.cancel(resting.id);
    const ended = await orders.next((one) => one.id === resting.id);
    assert.deepEqual([ended.status, ended.executed], ['CANCELED', 0]);
    const market = await client.place({ side: 'BUY', type: 'MARKET', quantity: '0.5' });
    const filled = await orders.next((one) => one.id === market.id && one.status === 'FILLED');
    assert.deepEqual([filled.executed, filled.quote], [market.executed, market.quote]);
  },
  { kinds: ['HMAC', 'Ed25519', 'RSA'] },
);

scenario(
  'an order goes over the WebSocket API',
  async ({ client }) => {
    const price = ((await topOf(client)).bid * 0.95).toFixed(2);
    const placed = await client.placeBySocket({ side: 'BUY', type: 'LIMIT', quantity: '0.001', price });
    assert.deepEqual([placed.status, placed.quantity], ['NEW', 0.001]);
    assert.deepEqual(await client.find(placed.id), placed);
    const refused = client.placeBySocket({ side: 'BUY', type: 'LIMIT', quantity: '9', price });
    assert.equal(await codeOf(client, refused), -2010);
  },
  { kinds: ['HMAC', 'Ed25519', 'RSA'] },
);

scenario('trades, candles and tickers stream', async ({ client, exchange }) => {
  const [trades, candles, tickers] = [
    await client.followTrades(),
    await client.followCandles(),
    await client.followTicker(),
  ];
  const trade = await exchange.whileTrading(trades.next(() => true));
  assert.ok(trade.price > 0 && trade.quantity > 0);
  const candle = await exchange.whileTrading(candles.next(() => true));
  assert.ok(candle.openMs % 60_000 === 0 && candle.close > 0);
  const ticker = await exchange.whileTrading(tickers.next(() => true));
  assert.ok(ticker.low <= ticker.last && ticker.last <= ticker.high);
});

/** The best twenty levels, as plain lists whatever lists the client keeps. */
const top = (book: Pick<BookSeen, 'bids' | 'asks'>) =>
  [book.bids, book.asks].map((side) => Array.from(side.slice(0, 20), ([price, quantity]) => [price, quantity]));

scenario('a local order book stays in step', async ({ client, exchange }) => {
  const books = await client.followBook();
  await exchange.whileTrading(books.next(() => true));
  for (let round = 0; round < 3; round++) {
    await client.place({ side: 'SELL', type: 'MARKET', quantity: '0.2' });
    await exchange.control('POST /clock/advance', { ms: 30_000 });
    const fresh = depthSnapshot.parse(await client.send('depth', { symbol, limit: 1000 }));
    const seen = await books.next((book) => book.lastUpdateId >= fresh.lastUpdateId);
    assert.equal(seen.lastUpdateId, fresh.lastUpdateId);
    assert.deepEqual(top(seen), top(fresh));
    checkBook(seen);
  }
});

/** Its calls that are the same for every exchange, with the path of this one that each of them asks. */
const UNIFIED: readonly (readonly [path: string, name: string, ...args: unknown[]])[] = [
  ['/api/v3/aggTrades', 'fetchTrades', 'BTC/USDT'],
  ['/api/v3/depth', 'fetchOrderBook', 'BTC/USDT'],
  ['/api/v3/ticker/24hr', 'fetchTickers', ['BTC/USDT', 'ETH/USDT']],
  ['/api/v3/ticker/bookTicker', 'fetchBidsAsks', ['BTC/USDT']],
  ['/api/v3/ticker/price', 'fetchLastPrices', ['BTC/USDT']],
  ['/api/v3/klines', 'fetchOHLCV', 'BTC/USDT', '1m'],
  ['/api/v3/account', 'fetchBalance'],
  ['/api/v3/allOrders', 'fetchClosedOrders', 'BTC/USDT'],
  ['/api/v3/myTrades', 'fetchMyTrades', 'BTC/USDT'],
  ['/api/v3/order/test', 'createOrder', 'BTC/USDT', 'market', 'sell', 0.001, undefined, { test: true }],
  ['/sapi/v1/asset/tradeFee', 'fetchTradingFee', 'BTC/USDT'],
  ['/sapi/v1/system/status', 'fetchStatus'],
];
const paths = z.array(z.object({ path: z.string() })).transform((calls) => calls.map(({ path }) => path));

/** Checks how ccxt interprets the exchange's answers, by its own rules for every exchange. */
async function checkCcxt(ex: Ccxt, exchange: ClientExchange): Promise<void> {
  const market = (await ex.loadMarkets())['BTC/USDT'];
  assert.ok(market !== undefined && market.active && market.precision.amount > 0 && market.precision.price > 0);
  assert.deepEqual([market.contract, market.linear, market.inverse], [false, undefined, undefined]);
  for (const { min, max } of [market.limits.amount, market.limits.price]) assert.ok(min <= max);
  const { bid, ask, last, close, high, low, timestamp } = await ex.fetchTicker('BTC/USDT');
  assert.ok(bid > 0 && bid < ask && last === close && low <= last && last <= high && timestamp > 0);
  const { id } = await ex.createOrder('BTC/USDT', 'limit', 'buy', 0.5, Number((ask * 1.045).toFixed(2)));
  const order = await ex.fetchOrder(id, 'BTC/USDT');
  assert.deepEqual([order.status, order.amount, order.filled, order.remaining], ['closed', 0.5, 0.5, 0]);
  const fills = await ex.fetchOrderTrades(id, 'BTC/USDT');
  assert.ok(Math.abs(fills.reduce((sum, { cost }) => sum + cost, 0) - order.cost) < 1e-6);
  for (const fill of fills)
    assert.deepEqual([fill.side, fill.takerOrMaker, fill.fee.currency], ['buy', 'taker', 'BTC']);
  const timesMs = [order.timestamp, ...fills.map((fill) => fill.timestamp)];
  assert.ok(timesMs.every((ms) => ms > 0 && ms <= Date.now()));
  const open = await ex.createOrder('BTC/USDT', 'limit', 'sell', 0.001, Number((ask * 1.05).toFixed(2)));
  assert.equal((await ex.fetchOrder(open.id, 'BTC/USDT')).status, 'open');
  const replacing = await callByName(ex, 'editOrder', open.id, 'BTC/USDT', 'limit', 'sell', 0.002, ask * 1.06);
  assert.equal(z.object({ amount: z.number() }).parse(replacing).amount, 0.002);
  await callByName(ex, 'cancelAllOrders', 'BTC/USDT');
  assert.equal((await ex.fetchOrder(open.id, 'BTC/USDT')).status, 'canceled');
  for (const [path, name, ...args] of UNIFIED) {
    await exchange.control('DELETE /log');
    await callByName(ex, name, ...args);
    assert.deepEqual(paths.parse(await exchange.control('GET /log')), [path], name);
  }
}

if (areInstalled) {
  void test('@binance/spot in microseconds: answers, streams and what it is told', { timeout: 120_000 }, async () => {
    await using exchange = await openExchange();
    await using client = await openSpotClient(exchange.venue, KEYS.Ed25519, { timeUnit: 'MICROSECOND' });
    const [row] = z.array(z.array(number)).parse(await client.send('klines', { symbol, interval: '1m', limit: 1 }));
    assert.ok(Number(row?.[0]) > 1e15);
    const candles = await client.followCandles();
    assert.ok((await exchange.whileTrading(candles.next(() => true))).openMs > 1e15);
    const startTime = (Date.now() - 3_600_000) * 1000;
    assert.deepEqual(await client.send('listAll', { symbol, startTime }), []);
  });
  void test('@binance/spot as it comes repeats a cancel whose answer was lost', { timeout: 120_000 }, async () => {
    await using exchange = await openExchange();
    await using client = await openSpotClient(exchange.venue, KEYS.HMAC, { retries: 3, backoff: 1 });
    const price = ((await topOf(client)).bid * 0.95).toFixed(2);
    const { id } = await client.place({ side: 'BUY', type: 'LIMIT', quantity: '0.001', price });
    const match = { method: 'DELETE', path: '/api/v3/order' };
    await exchange.control('POST /faults', [{ kind: 'apply-then-fail', match, status: 503 }]);
    assert.equal(await codeOf(client, client.cancel(id)), -2011, 'the second try finds nothing to cancel');
    assert.equal((await client.find(id)).status, 'CANCELED');
  });
  void test('ccxt as it comes, with all its markets and its own pace', { timeout: 120_000 }, async () => {
    await using exchange = await openExchange();
    await using client = await openCcxtClient(exchange.venue, KEYS.HMAC, false);
    await checkCcxt(client.ex, exchange);
  });
}
