import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INTERVAL_MS } from '#core/market/candle.ts';
import { readKlines } from './klines.ts';
import { tradesOf } from './path.ts';
import { openSymbolMarket, skipTo } from './symbol-market.ts';
import { openSynthetic, SYNTHETIC_SYMBOLS } from './synthetic.ts';

const ANCHOR = Date.UTC(2026, 3, 5, 12, 34, 56);
const DAY_MS = 86_400_000;

test('the same seed gives the same market, another seed another', () => {
  const at = (seed: number) => openSynthetic(seed, ANCHOR).candles('BTCUSDT', ANCHOR - DAY_MS, ANCHOR).close;
  assert.deepEqual(at(7), at(7));
  assert.notDeepEqual(at(7), at(8));
});

test('a market opened later with the same anchor is the same market', () => {
  const [early, late] = [openSynthetic(3, ANCHOR), openSynthetic(3, ANCHOR)];
  const later = ANCHOR + 3 * DAY_MS;
  early.candles('ETHUSDT', ANCHOR - DAY_MS, later);
  assert.deepEqual(early.candleAfter('ETHUSDT', later), late.candleAfter('ETHUSDT', later));
});

test('candles are valid and follow one another without a gap', () => {
  const source = openSynthetic(1, ANCHOR);
  for (const symbol of SYNTHETIC_SYMBOLS) {
    const { openMs, open, high, low, close, volume } = source.candles(symbol, ANCHOR - DAY_MS, ANCHOR + DAY_MS);
    assert.ok(openMs.length >= 2 * 1440);
    for (let i = 0; i < openMs.length; i++) {
      const [o, h, l, c] = [open[i] ?? 0, high[i] ?? 0, low[i] ?? 0, close[i] ?? 0];
      assert.ok(l > 0 && l <= Math.min(o, c) && h >= Math.max(o, c) && (volume[i] ?? 0) > 0, `${symbol} ${i}`);
      if (i > 0) assert.deepEqual([openMs[i], o], [(openMs[i - 1] ?? 0) + 60_000, close[i - 1]], `${symbol} ${i}`);
    }
  }
});

test('at the first start there are at least 1,000 closed candles of an hour', () => {
  const source = openSynthetic(1, ANCHOR);
  const [listing] = source.listings;
  assert.ok(listing !== undefined);
  const market = openSymbolMarket(source, listing, { tradesPerCandle: 150, fromMs: ANCHOR, lastTradeId: 0 });
  const klines = readKlines(market, { interval: '1h', limit: 1001 }, ANCHOR);
  assert.equal(klines.length, 1001);
  assert.equal(klines.at(-1)?.openMs, ANCHOR - (ANCHOR % INTERVAL_MS['1h']));
});

test('a price crosses its ten-minute low often enough for a dip buyer', () => {
  const source = openSynthetic(1, ANCHOR);
  const { low } = source.candles('BTCUSDT', ANCHOR - DAY_MS, ANCHOR);
  let lows = 0;
  for (let i = 10; i < low.length; i++) if ((low[i] ?? 0) < Math.min(...low.subarray(i - 10, i))) lows += 1;
  assert.ok(lows > 100, `${lows} new lows in a day`);
});

test('a candle played as trades is that candle again', () => {
  const source = openSynthetic(5, ANCHOR);
  for (const listing of source.listings) {
    const candle = source.candleAfter(listing.rules.symbol, ANCHOR);
    assert.ok(candle !== undefined);
    for (const count of [4, 150]) {
      const trades = tradesOf(candle, listing.grid, { count, salt: 1 });
      const price = (ticks: number) => (ticks * listing.grid.tickUnits) / 1e8;
      const prices = trades.map((trade) => price(trade.ticks));
      assert.deepEqual(
        [prices[0], Math.max(...prices), Math.min(...prices), prices.at(-1)],
        [candle.open, candle.high, candle.low, candle.close],
      );
      assert.ok(
        trades.every((trade, i) => trade.atMs >= (trades[i - 1]?.atMs ?? candle.openMs) && trade.atMs < candle.closeMs),
      );
    }
  }
});

test('skipping ahead and playing through end in the same candle', () => {
  const source = openSynthetic(1, ANCHOR);
  const [listing] = source.listings;
  assert.ok(listing !== undefined);
  const open = (fromMs: number) => openSymbolMarket(source, listing, { tradesPerCandle: 20, fromMs, lastTradeId: 0 });
  const [slow, fast] = [open(ANCHOR), open(ANCHOR)];
  for (let ms = ANCHOR; ms <= ANCHOR + 200_000; ms += 10_000) skipTo(slow, ms);
  skipTo(fast, ANCHOR + 200_000);
  assert.equal(slow.lastPrice, fast.lastPrice);
  assert.deepEqual(
    [slow.forming?.open, slow.forming?.close, slow.forming?.lots],
    [fast.forming?.open, fast.forming?.close, fast.forming?.lots],
  );
});

test('where history ends and live prices start, no candle of any coin moves more than in the hour before', () => {
  const MINUTES = 60;
  for (const anchorMs of [ANCHOR, ANCHOR + 7 * 3_600_000, Date.UTC(2026, 10, 25, 1, 55, 30)]) {
    const source = openSynthetic(1, anchorMs);
    for (const listing of source.listings) {
      const market = openSymbolMarket(source, listing, { tradesPerCandle: 20, fromMs: anchorMs, lastTradeId: 0 });
      const untilMs = anchorMs + MINUTES * 60_000;
      for (let ms = anchorMs; ms <= untilMs; ms += 5_000) skipTo(market, ms);
      const candles = readKlines(market, { interval: '1m', limit: 2 * MINUTES }, untilMs);
      const moves = candles.map(({ open, high, low, close }, i) => {
        const before = candles[i - 1]?.close ?? open;
        return Math.max(Math.abs(open / before - 1), Math.abs(close / before - 1), high / low - 1);
      });
      const usual = Math.max(...moves.slice(0, MINUTES - 5));
      const atSeam = Math.max(...moves.slice(MINUTES - 5, MINUTES + 5));
      assert.ok(atSeam <= 1.5 * usual, `${listing.rules.symbol} moves by ${atSeam} at the start, before by ${usual}`);
    }
  }
});

test('no minute of any coin moves its price by more than two percent', () => {
  const source = openSynthetic(1, ANCHOR);
  for (const symbol of SYNTHETIC_SYMBOLS) {
    const { open, close } = source.candles(symbol, ANCHOR - 30 * DAY_MS, ANCHOR + DAY_MS);
    const most = open.reduce((most, from, i) => Math.max(most, Math.abs((close[i] ?? 0) / from - 1)), 0);
    assert.ok(most < 0.02, `${symbol} moves by ${most}`);
  }
});

test('prices, volumes and spreads of the coins are of the usual size', () => {
  const source = openSynthetic(1, ANCHOR);
  const seen = new Map(
    source.listings.map((listing) => {
      const { symbol } = listing.rules;
      const { close, volume } = source.candles(symbol, ANCHOR - DAY_MS, ANCHOR);
      const day = close.reduce((sum, price, i) => sum + price * (volume[i] ?? 0), 0);
      const market = openSymbolMarket(source, listing, { tradesPerCandle: 20, fromMs: ANCHOR, lastTradeId: 0 });
      const { bid, ask } = market.quote ?? { bid: 1, ask: 1 };
      return [symbol, { price: close.at(-1) ?? 0, day, spread: ask / bid - 1 }];
    }),
  );
  const [btc, doge, fil] = ['BTCUSDT', 'DOGEUSDT', 'FILUSDT'].map((symbol) => seen.get(symbol));
  assert.ok(btc !== undefined && doge !== undefined && fil !== undefined);
  assert.ok(btc.price > 40_000 && btc.price < 90_000, `BTC ${btc.price}`);
  assert.ok(doge.price > 0.08 && doge.price < 0.3, `DOGE ${doge.price}`);
  assert.ok(btc.day > doge.day && doge.day > fil.day, `${btc.day} ${doge.day} ${fil.day}`);
  assert.ok(btc.spread < 0.000_01 && doge.spread < 0.001 && fil.spread > 0.001, `${btc.spread} ${fil.spread}`);
});
