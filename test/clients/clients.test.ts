import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCcxt } from './ccxt-client.ts';
import { MARKET_QUERIES, type MarketQuery, type Params } from './operations.ts';
import { depthSnapshot } from './raw-json.ts';
import { isLacking, scenario, symbol, topOf } from './scenario.ts';
import { KEYS, openStage } from './stage.ts';
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

scenario('every market-data query answers', async ({ client, who }) => {
  for (const query of MARKET_QUERIES) {
    if (isLacking(who, query)) continue;
    for (const params of PARAMS[query] ?? [{}]) {
      const answer = await client.send(query, params);
      assert.equal(typeof answer, 'object', query);
      if (query !== 'ping') assert.ok(Object.keys(Object(answer)).length > 0, query);
    }
  }
});

scenario('the user stream tells every step of an order', async ({ client, stage }) => {
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

scenario('trades, candles and tickers stream', async ({ client, stage }) => {
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

scenario('a local order book stays in step', async ({ client, stage }) => {
  const books = await client.followBook();
  await stage.whileTrading(books.next(() => true));
  for (let round = 0; round < 3; round++) {
    await client.place({ side: 'SELL', type: 'MARKET', quantity: '0.2' });
    await stage.control('POST /clock/advance', { ms: 30_000 });
    const fresh = depthSnapshot.parse(await client.send('depth', { symbol, limit: 1000 }));
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
    const exchange = await openCcxt(stage.venue, KEYS.HMAC, false);
    const markets = await exchange.loadMarkets();
    assert.ok(Object.keys(markets).includes('BTC/USDT'));
    await exchange.close();
  });
}
