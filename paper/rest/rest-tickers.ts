import { frameOf, nextOpen, readZone } from '#paper/market/frames.ts';
import { DAY_MS, rollingSpan, type Span, spanSince } from '#paper/market/statistics.ts';
import type { SymbolMarket } from '#paper/market/symbol-market.ts';
import { bestOf, number8 } from './market-json.ts';
import { fixed8 } from './order-json.ts';
import { bookOf } from '#paper/exchange/orders.ts';
import { type Params, readText, readWord } from './params.ts';
import { bothMissing, notValid, RefusedError } from '#paper/exchange/refusal.ts';
import { answerPerSymbol } from './read-symbols.ts';
import { publicQuery, type PublicRoute } from './routes.ts';
import { dayTicker, miniTicker, windowTicker } from './ticker-json.ts';
import type { Venue } from '#paper/exchange/venue.ts';

const MOST_SYMBOLS = 100;
const MINUTE_MS = 60_000;

/** Prices and price statistics of one coin, some coins, or all. */
export const tickerRoutes = (venue: Venue): PublicRoute[] => [
  publicQuery(venue, ['ticker/price', 'ticker.price', priceWeight], (_, params) =>
    answerPerSymbol(venue, params, { answer: lastPrice }),
  ),
  publicQuery(venue, ['ticker/bookTicker', 'ticker.book', priceWeight], (_, params) =>
    answerPerSymbol(venue, params, { answer: (market) => bookTicker(venue, market) }),
  ),
  publicQuery(venue, ['ticker/24hr', 'ticker.24hr', dayWeight], dayTickers),
  publicQuery(venue, ['ticker/tradingDay', 'ticker.tradingDay', windowWeight], tradingDays),
  publicQuery(venue, ['ticker', 'ticker', windowWeight], rollingTickers),
];

const priceWeight = (params: Params): number => (params.values.has('symbol') ? 2 : 4);
const countOf = (params: Params): number | undefined => params.values.get('symbols')?.split(',').length;

function dayWeight(params: Params): number {
  if (params.values.has('symbol')) return 2;
  const count = countOf(params) ?? Infinity;
  return count <= 20 ? 2 : count <= 100 ? 40 : 80;
}

const windowWeight = (params: Params): number => Math.min(200, 4 * (countOf(params) ?? 1));

const lastPrice = (market: SymbolMarket): Record<string, unknown> => ({
  symbol: market.listing.rules.symbol,
  price: market.lastPrice === undefined ? number8(0) : fixed8(market.lastPrice),
});

function bookTicker(venue: Venue, market: SymbolMarket): unknown {
  const { symbol } = market.listing.rules;
  const { bid, ask } = bestOf(bookOf(venue.engine.orders, symbol), market);
  return { symbol, bidPrice: bid[0], bidQty: bid[1], askPrice: ask[0], askQty: ask[1] };
}

const readMini = (params: Params): boolean =>
  readWord(params, 'type', { words: ['FULL', 'MINI'], code: -1139, message: 'Invalid ticker type.' }) === 'MINI';

function dayTickers(venue: Venue, params: Params): unknown {
  const mini = readMini(params);
  const nowMs = venue.clock.nowMs();
  const answer = (market: SymbolMarket): unknown => {
    const { symbol } = market.listing.rules;
    const span = rollingSpan(market, DAY_MS, nowMs);
    if (mini) return miniTicker(symbol, span);
    const lastQuantity = market.recent.at(-1)?.quantityNumber ?? 0;
    return dayTicker(symbol, span, { best: bestOf(bookOf(venue.engine.orders, symbol), market), lastQuantity });
  };
  return answerPerSymbol(venue, params, { answer });
}

/** One of both is required: these tickers have no answer for all coins. */
function requireSomeSymbol(params: Params): void {
  if (!params.values.has('symbol') && !params.values.has('symbols'))
    throw new RefusedError(bothMissing('symbol', 'symbols'));
}

function answerWindow(venue: Venue, params: Params, spanOf: (market: SymbolMarket) => Span): unknown {
  requireSomeSymbol(params);
  const json = readMini(params) ? miniTicker : windowTicker;
  const answer = (market: SymbolMarket): unknown => json(market.listing.rules.symbol, spanOf(market));
  return answerPerSymbol(venue, params, { most: MOST_SYMBOLS, answer });
}

function rollingTickers(venue: Venue, params: Params): unknown {
  const lengthMs = readWindow(readText(params, 'windowSize') ?? '1d');
  const nowMs = venue.clock.nowMs();
  return answerWindow(venue, params, (market) => rollingSpan(market, lengthMs, nowMs));
}

const WINDOW_UNITS = {
  m: { ms: MINUTE_MS, most: 59 },
  h: { ms: 60 * MINUTE_MS, most: 23 },
  d: { ms: DAY_MS, most: 7 },
} as const;

/** 1m to 59m, 1h to 23h, 1d to 7d. */
function readWindow(text: string): number {
  const [, digits = '0', letter] = /^([1-9]\d?)([mhd])$/.exec(text) ?? [];
  const unit = letter === 'm' || letter === 'h' || letter === 'd' ? WINDOW_UNITS[letter] : undefined;
  if (unit === undefined || Number(digits) > unit.most) throw new RefusedError(notValid('windowSize'));
  return Number(digits) * unit.ms;
}

function tradingDays(venue: Venue, params: Params): unknown {
  const offsetMs = readTimeZone(params);
  const frame = frameOf('1d', offsetMs);
  const nowMs = venue.clock.nowMs();
  const openMs = frame.openOf(nowMs);
  return answerWindow(venue, params, (market) => ({
    ...spanSince(market, openMs, nowMs),
    nowMs: nextOpen(frame, openMs) - 1,
  }));
}

/** The offset of the requested time zone from UTC, ahead is positive. */
export function readTimeZone(params: Params): number {
  const text = readText(params, 'timeZone');
  const offsetMs = text === undefined ? 0 : readZone(text);
  if (offsetMs === undefined) throw new RefusedError(notValid('timeZone'));
  return offsetMs;
}
