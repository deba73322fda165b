import { exchangeInfo, symbolInfo } from './exchange-info.ts';
import { KLINE_INTERVALS, type KlineInterval } from '#paper/market/frames.ts';
import { hasCandles } from '#paper/market/klines.ts';
import { averagePrice } from '#paper/market/statistics.ts';
import { type SymbolMarket, statusOf } from '#paper/market/symbol-market.ts';
import { depthRows, klineRow, number8 } from './market-json.ts';
import { bookOf } from '#paper/exchange/orders.ts';
import {
  finishParams,
  type Params,
  readInteger,
  readLimit,
  readText,
  readTime,
  readWord,
  requireSymbol,
  requireText,
} from './params.ts';
import { deny, notValid, RefusedError } from '#paper/exchange/refusal.ts';
import { readStatus, readSymbols, requireMarket, requireStatus } from './read-symbols.ts';
import { readTimeZone } from './rest-tickers.ts';
import { publicQuery, type PublicRoute } from './routes.ts';
import { type DepthSnapshot, klinesNow, type Venue } from '#paper/exchange/venue.ts';

/** Unsigned market data. */
export const marketRoutes = (venue: Venue): PublicRoute[] => [
  publicQuery(venue, ['ping', 'ping', 1], (_, params) => (finishParams(params), {})),
  publicQuery(venue, ['time', 'time', 1], (_, params) => (finishParams(params), timeOf(venue))),
  publicQuery(venue, ['exchangeInfo', 'exchangeInfo', 20], listSymbols),
  publicQuery(venue, ['klines', 'klines', 2], listKlines),
  publicQuery(venue, ['uiKlines', 'uiKlines', 2], listKlines),
  publicQuery(venue, ['depth', 'depth', depthWeight], depth),
  publicQuery(venue, ['avgPrice', 'avgPrice', 2], average),
];

/** Protocol time, and in addition to the real exchange the time and speed of the market. */
const timeOf = (venue: Venue): Record<string, number> => ({
  serverTime: Date.now(),
  marketTime: venue.clock.nowMs(),
  marketSpeed: venue.clock.speed,
});

function depthWeight(params: Params): number {
  const limit = Number(params.values.get('limit') ?? 100);
  return limit <= 100 ? 5 : limit <= 500 ? 25 : limit <= 1000 ? 50 : 250;
}

function listSymbols(venue: Venue, params: Params): unknown {
  const wanted = readSymbols(params);
  const permissions = readText(params, 'permissions');
  readText(params, 'showPermissionSets');
  const status = readStatus(params);
  finishParams(params);
  if (wanted !== undefined && (status !== undefined || permissions !== undefined))
    deny(-1128, 'Combination of optional parameters invalid.');
  const markets = (wanted?.symbols ?? [...venue.markets.keys()]).map((symbol) => requireMarket(venue, symbol));
  return exchangeInfo(
    markets.filter((market) => status === undefined || statusOf(market) === status).map(symbolInfo),
    Date.now(),
  );
}

function listKlines(venue: Venue, params: Params): unknown {
  const symbol = requireSymbol(params);
  requireText(params, 'interval');
  const interval: KlineInterval | undefined = readWord(params, 'interval', {
    words: KLINE_INTERVALS,
    code: -1120,
    message: 'Invalid interval.',
  });
  const startMs = readTime(params, 'startTime');
  const endMs = readTime(params, 'endTime');
  const limit = readLimit(params, 500, 1000);
  const offsetMs = readTimeZone(params);
  finishParams(params);
  const market = requireMarket(venue, symbol);
  // The real exchange has every interval. This market has none finer than its own candles.
  if (interval !== undefined && !hasCandles(market, interval)) deny(-1120, 'Invalid interval.');
  return klinesNow(venue, market, { interval: interval ?? '1m', startMs, endMs, limit, offsetMs }).map(klineRow);
}

const MOST_LEVELS = 5000;

function depth(venue: Venue, params: Params): unknown {
  const symbol = requireSymbol(params);
  const limit = readInteger(params, 'limit') ?? 100;
  const status = readStatus(params);
  finishParams(params);
  if (limit < 1) throw new RefusedError(notValid('limit'));
  const market = requireMarket(venue, symbol);
  requireStatus(market, status);
  const { lastUpdateId, bids, asks } =
    venue.testControls.staleDepth.get(symbol) ?? snapshotOf(venue, market, Math.min(limit, MOST_LEVELS));
  // A coin in BREAK shows no market data.
  if (statusOf(market) === 'BREAK') return { lastUpdateId, bids: [], asks: [] };
  return { lastUpdateId, bids: bids.slice(0, limit), asks: asks.slice(0, limit) };
}

/** The current book. */
export const snapshotOf = (venue: Venue, market: SymbolMarket, levels = MOST_LEVELS): DepthSnapshot => ({
  lastUpdateId: market.bookId,
  ...depthRows(bookOf(venue.engine.orders, market.listing.rules.symbol), market, levels),
});

function average(venue: Venue, params: Params): unknown {
  const symbol = requireSymbol(params);
  finishParams(params);
  const { price, closeMs } = averagePrice(requireMarket(venue, symbol), venue.clock.nowMs());
  return { mins: 5, price: number8(price), closeTime: closeMs };
}
