import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Candle } from '#core/market/candle.ts';
import type { SymbolStatus } from '#core/market/symbol.ts';
import { type BoundCoin, type DayTicker, judgeCoins, readDiscoveryConfig, screenMarket } from './discovery.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = 60 * 24 * HOUR_MS;
const config = (given: object) =>
  readDiscoveryConfig({ enabled: true, rankExcludeTopPercent: 0, rankTopPercent: 100, ...given });
const day = (symbol: string, changePercent: number, given: Partial<DayTicker> = {}): DayTicker => ({
  ...{ symbol, changePercent, last: 10, high: 10, bid: 9.99, ask: 10, quoteVolume: 60_000_000 },
  ...given,
});
const rule = (symbol: string, status: SymbolStatus = 'TRADING') =>
  [symbol, { baseAsset: symbol.replace(/USDT$/, ''), quoteAsset: 'USDT', status }] as const;

/** Hourly closes by `slope` an hour; the last one with `volume`. */
const hours = (slope: number, { count = 800, volume = 3, wave = 0 } = {}): Candle[] =>
  Array.from({ length: count }, (_, i) => {
    const close = 100 + slope * i + wave * Math.sin(i);
    const openMs = NOW_MS - (count - i) * HOUR_MS;
    const prices = { open: close - slope, high: close + 0.1, low: close - slope - 0.1, close };
    return { openMs, closeMs: openMs + HOUR_MS - 1, ...prices, volume: i === count - 1 ? volume : 1, closed: true };
  });

test('the funnel counts what each test leaves, from the quote asset to the rank', () => {
  const names = ['AAUSDT', 'BBUSDT', 'USDCUSDT', 'HALTUSDT', 'BANUSDT', 'THINUSDT', 'WIDEUSDT', 'DOWNUSDT'];
  const rules = new Map(names.map((name) => rule(name, name === 'HALTUSDT' ? 'BREAK' : 'TRADING')));
  const given: Record<string, Partial<DayTicker>> = { THINUSDT: { quoteVolume: 1 }, WIDEUSDT: { bid: 9 } };
  const tickers = [...names.map((name, i) => day(name, name === 'DOWNUSDT' ? -1 : i, given[name])), day('ETHBTC', 5)];
  const screen = screenMarket(config({ blacklist: ['BANUSDT'] }), tickers, rules);
  assert.deepEqual(
    screen.market.map(({ stage, left }) => `${stage} ${left}`),
    [
      'quoted 8',
      'trading 7',
      'not-money 6',
      'not-blacklisted 5',
      'pair-volume 4',
      'asset-volume 4',
      'spread 3',
      'change 2',
      'rank 2',
    ],
  );
  assert.deepEqual(
    screen.ranked.map(({ symbol }) => symbol),
    ['BBUSDT', 'AAUSDT'],
    'the greatest gain first',
  );
  assert.deepEqual(screen.breadth, { up: 4, all: 6 });
});

test('of many coins the hottest are left out and the rest of the top stays', () => {
  const tickers = Array.from({ length: 20 }, (_, i) => day(`C${String(i).padStart(2, '0')}USDT`, i));
  const rules = new Map(tickers.map(({ symbol }) => rule(symbol)));
  const { ranked } = screenMarket(config({ rankExcludeTopPercent: 10, rankTopPercent: 30 }), tickers, rules);
  assert.deepEqual(
    ranked.map(({ changePercent }) => changePercent),
    [17, 16, 15, 14],
  );
});

const judge = (
  given: object,
  candles: Record<string, Candle[]>,
  more: { bound?: BoundCoin[]; taken?: string[]; left?: string[] } = {},
) => {
  const settings = config(given);
  const tickers = Object.keys(candles).map((symbol, i) => day(symbol, 20 - i));
  const screen = screenMarket(settings, tickers, new Map(tickers.map(({ symbol }) => rule(symbol))));
  const sets = { taken: new Set(more.taken), left: new Set(more.left), candles: new Map(Object.entries(candles)) };
  const baseOf = (symbol: string) => symbol.replace(/USDT$/, '');
  const { coins } = judgeCoins(settings, { nowMs: NOW_MS, screen, tickers, baseOf, bound: more.bound ?? [], ...sets });
  return Object.fromEntries(coins.map(({ symbol, outcome }) => [symbol, outcome]));
};

test('a coin needs age, a trend with volume, and distance to its high where that is asked for', () => {
  const candles = {
    UPUSDT: hours(0.2),
    YOUNGUSDT: hours(0.2, { count: 100 }),
    FLATUSDT: hours(0, { wave: 1 }),
    QUIETUSDT: hours(0.2, { volume: 1 }),
  };
  const expected = { UPUSDT: 'proposed', YOUNGUSDT: 'age', FLATUSDT: 'trend', QUIETUSDT: 'trend' };
  assert.deepEqual(judge({}, candles), expected);
  assert.equal(judge({ highDistancePercent: 1 }, candles)['UPUSDT'], 'entry-guard', 'its price is its high');
});

test('places, cool-down, siblings, breadth and likeness keep a coin that passes from being proposed', () => {
  const three = { AAUSDT: hours(0.2), BBUSDT: hours(0.2), CCUSDT: hours(0.2) };
  assert.deepEqual(judge({ maxCoins: 2 }, three), { AAUSDT: 'proposed', BBUSDT: 'proposed', CCUSDT: 'no-slot' });
  assert.deepEqual(judge({}, three, { taken: ['AA'], left: ['BBUSDT'] }), {
    ...{ AAUSDT: 'base-taken', BBUSDT: 'cooldown', CCUSDT: 'proposed' },
  });
  assert.equal(judge({ breadthMinPercent: 100 }, three)['AAUSDT'], 'proposed', 'every coin rises');
  const alike = judge({ correlationMost: 0.9 }, { ...three, DDUSDT: hours(0.2, { wave: 0.05 }) });
  assert.deepEqual([alike['AAUSDT'], alike['BBUSDT']], ['proposed', 'correlated']);
});

test('a coin of the profile stays while it passes, is in use, or has not been there long enough', () => {
  const faded = hours(0, { wave: 1 });
  const candles = { KEPTUSDT: hours(0.2), HELDUSDT: faded, YOUNGUSDT: faded, FADEDUSDT: faded };
  const bound = Object.keys(candles).map((symbol) => ({
    symbol,
    inUse: symbol === 'HELDUSDT',
    boundAtMs: NOW_MS - (symbol === 'YOUNGUSDT' ? 60_000 : 24 * HOUR_MS),
  }));
  const expected = { KEPTUSDT: 'kept', HELDUSDT: 'faded-held', YOUNGUSDT: 'faded-young', FADEDUSDT: 'faded' };
  assert.deepEqual(judge({}, candles, { bound }), expected);
});
