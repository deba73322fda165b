import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { openBinanceClient } from './binance-client.ts';
import { openCcxt, openCcxtClient } from './ccxt-client.ts';
import { depthSnapshot } from './raw-json.ts';
import { openSpotClient } from './spot-client.ts';
import { openStage, type Stage } from './stage.ts';
import {
  areInstalled,
  type BookSeen,
  type Key,
  MARKET_QUERIES,
  type MarketParams,
  type MarketQuery,
  NOT_INSTALLED,
  type StockClient,
  type Venue,
} from './stock-client.ts';

const CLIENTS: Readonly<Record<string, (venue: Venue, key: Key) => Promise<StockClient>>> = {
  ccxt: openCcxtClient,
  '@binance/spot': openSpotClient,
  binance: openBinanceClient,
};

/** What a client itself cannot do anywhere but at the real exchange, and why. */
const EXCEPTIONS: Readonly<Record<string, Partial<Record<MarketQuery, string>>>> = {
  binance: { time: 'getServerTime() goes to api.binance.com whatever base address is set' },
};

if (!areInstalled) test('the stock clients', { skip: NOT_INSTALLED }, () => undefined);

/** One scenario, run by every client with either kind of key. */
function scenario(name: string, run: (client: StockClient, stage: Stage, who: string) => Promise<void>): void {
  for (const [who, open] of areInstalled ? Object.entries(CLIENTS) : [])
    for (const kind of ['HMAC', 'Ed25519'] as const)
      test(`${who} (${kind}): ${name}`, { timeout: 60_000 }, async () => {
        await using stage = await openStage();
        await using client = await open(stage.venue, stage.keys[kind]);
        await run(client, stage, who);
      });
}

scenario('markets load with their limits', async (client) => {
  const markets = await client.loadMarkets();
  assert.ok(markets.length >= 25);
  for (const { symbol, active, tick, step, minQuantity, maxQuantity, minNotional } of markets) {
    assert.ok(active && tick > 0 && step > 0 && minNotional > 0, symbol);
    assert.ok(minQuantity > 0 && minQuantity <= maxQuantity, symbol);
  }
});

const symbol = 'BTCUSDT';
const PARAMS: Readonly<Partial<Record<MarketQuery, readonly MarketParams[]>>> = {
  exchangeInfo: [{}, { symbol }, { symbols: ['BTCUSDT', 'LTCBTC'] }],
  depth: [{ symbol }, { symbol, limit: 5000 }],
  trades: [{ symbol, limit: 10 }],
  historicalTrades: [{ symbol, limit: 10 }],
  aggTrades: [{ symbol, limit: 10 }],
  klines: [{ symbol, interval: '1m', limit: 1000 }],
  uiKlines: [{ symbol, interval: '1d', limit: 10 }],
  avgPrice: [{ symbol }],
  ticker24hr: [{ symbol }, { symbols: ['BTCUSDT', 'ETHUSDT'] }, {}],
  tradingDay: [{ symbol }, { symbols: ['BTCUSDT', 'ETHUSDT'] }],
  rolling: [{ symbol }, { symbols: ['BTCUSDT', 'ETHUSDT'] }],
  price: [{ symbol }, { symbols: ['BTCUSDT', 'ETHUSDT'] }, {}],
  bookTicker: [{ symbol }, { symbols: ['BTCUSDT', 'ETHUSDT'] }, {}],
};

scenario('every market-data query answers', async (client, _, who) => {
  for (const query of MARKET_QUERIES) {
    if (EXCEPTIONS[who]?.[query] !== undefined) continue;
    for (const params of PARAMS[query] ?? [{}]) {
      const answer = await client.ask(query, params);
      assert.equal(typeof answer, 'object', query);
      if (query !== 'ping') assert.ok(Object.keys(Object(answer)).length > 0, query);
    }
  }
});

const tops = z.object({ bidPrice: z.coerce.number(), askPrice: z.coerce.number() });
async function topOf(client: StockClient): Promise<{ bid: number; ask: number }> {
  const { bidPrice, askPrice } = tops.parse(await client.ask('bookTicker', { symbol }));
  assert.ok(askPrice > bidPrice);
  return { bid: bidPrice, ask: askPrice };
}

async function codeOf(client: StockClient, call: Promise<unknown>): Promise<number | undefined> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error !== undefined, 'the call was to be refused');
  return client.codeOf(error);
}

scenario('a limit order rests, is found, listed and cancelled once', async (client) => {
  const { bid } = await topOf(client);
  const price = (bid / 1.045).toFixed(2);
  const placed = await client.place({ side: 'BUY', type: 'LIMIT', quantity: '0.001', price });
  assert.deepEqual([placed.status, placed.executed], ['NEW', 0]);
  assert.deepEqual(await client.find(placed.id), placed);
  assert.deepEqual(await client.listOpen(), [placed]);
  const canceled = await client.cancel(placed.id);
  assert.deepEqual([canceled.id, canceled.status], [placed.id, 'CANCELED']);
  assert.equal(await codeOf(client, client.cancel(placed.id)), -2011);
  assert.deepEqual(await client.listOpen(), []);
  assert.equal(await codeOf(client, client.find('987654321')), -2013);
});

scenario('orders fill, and what was bought less its fee can be sold', async (client) => {
  const before = await client.freeBalance('BTC');
  const { ask } = await topOf(client);
  const limit = { side: 'BUY', type: 'LIMIT', quantity: '0.01', price: (ask * 1.045).toFixed(2) } as const;
  const bought = await client.place(limit);
  assert.deepEqual([bought.status, bought.executed], ['FILLED', 0.01]);
  const fills = await client.listFills(bought.id);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  assert.ok(Math.abs(sum(fills.map((one) => one.quantity)) - 0.01) < 1e-12);
  assert.ok(Math.abs(sum(fills.map((one) => one.quote)) - bought.quote) < 1e-6);
  assert.ok(fills.every((one) => one.feeAsset === 'BTC' && one.fee > 0));
  const free = await client.freeBalance('BTC');
  assert.ok(Math.abs(free - (before + 0.01 - sum(fills.map((one) => one.fee)))) < 1e-8);
  const sold = await client.place({ side: 'SELL', type: 'MARKET', quantity: '0.00999' });
  assert.deepEqual([sold.status, sold.executed, sold.side, sold.type], ['FILLED', 0.00999, 'SELL', 'MARKET']);
  const feeAssets = (await client.listFills(sold.id)).map((one) => one.feeAsset);
  assert.ok(feeAssets.length > 0 && feeAssets.every((asset) => asset === 'USDT'));
});

scenario('a stop waits, and fires when the price falls through it', async (client, stage) => {
  const { bid } = await topOf(client);
  const [stopPrice, price] = [(bid * 0.99).toFixed(2), (bid * 0.985).toFixed(2)];
  const stop = { side: 'SELL', type: 'STOP_LOSS_LIMIT', quantity: '0.002', stopPrice, price } as const;
  const { id } = await client.place(stop);
  assert.deepEqual(await client.find(id).then(({ status, type }) => [status, type]), ['NEW', 'STOP_LOSS_LIMIT']);
  await stage.control('POST /trade', { symbol, price: stopPrice, quantity: '1' });
  const fired = await client.find(id);
  assert.deepEqual([fired.status, fired.executed], ['FILLED', 0.002]);
});

scenario('refusals carry the code of the exchange', async (client) => {
  const { bid } = await topOf(client);
  const limit = { side: 'BUY', type: 'LIMIT' } as const;
  const price = (bid / 1.045).toFixed(2);
  assert.equal(await codeOf(client, client.place({ ...limit, quantity: '0.00001', price })), -1013);
  assert.equal(await codeOf(client, client.place({ ...limit, quantity: '9', price })), -2010);
});

scenario('the user stream tells every step of an order', async (client, stage) => {
  const orders = await client.followOrders();
  await stage.untilCalled('userDataStream.subscribe', 'userDataStream.subscribe.signature');
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
});

scenario('trades, candles and tickers stream', async (client, stage) => {
  const [trades, candles, tickers] = [
    await client.followTrades(),
    await client.followCandles(),
    await client.followTicker(),
  ];
  const trade = await stage.whileTrading(trades.next(() => true));
  assert.ok(trade.price > 0 && trade.quantity > 0);
  const candle = await stage.whileTrading(candles.next(() => true));
  assert.ok(candle.openMs % 60_000 === 0 && candle.close > 0);
  const ticker = await stage.whileTrading(tickers.next(() => true));
  assert.ok(ticker.low <= ticker.last && ticker.last <= ticker.high);
});

/** The best twenty levels, as plain lists whatever lists the client keeps. */
const top = (book: Pick<BookSeen, 'bids' | 'asks'>) =>
  [book.bids, book.asks].map((side) => Array.from(side.slice(0, 20), ([price, quantity]) => [price, quantity]));

scenario('a local order book stays in step', async (client, stage) => {
  const books = await client.followBook();
  await stage.whileTrading(books.next(() => true));
  for (let round = 0; round < 3; round++) {
    await client.place({ side: 'SELL', type: 'MARKET', quantity: '0.2' });
    await stage.control('POST /clock/advance', { ms: 30_000 });
    const fresh = depthSnapshot.parse(await client.ask('depth', { symbol, limit: 1000 }));
    const seen = await books.next((book) => book.lastUpdateId >= fresh.lastUpdateId);
    assert.equal(seen.lastUpdateId, fresh.lastUpdateId);
    assert.deepEqual(top(seen), top(fresh));
    const prices = (side: BookSeen['bids']): number[] => Array.from(side, ([price]) => price);
    assert.deepEqual(
      prices(seen.bids),
      prices(seen.bids).toSorted((a, b) => b - a),
    );
    assert.ok((seen.bids[0]?.[0] ?? 0) < (seen.asks[0]?.[0] ?? 0));
  }
});

if (areInstalled) {
  test('ccxt as it comes, with all its markets, starts too', { timeout: 60_000 }, async () => {
    await using stage = await openStage();
    const exchange = await openCcxt(stage.venue, stage.keys.HMAC, false);
    const markets = await exchange.loadMarkets();
    assert.ok(Object.keys(markets).includes('BTC/USDT'));
    await exchange.close();
  });
}
