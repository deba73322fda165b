import { aggregateTrades, aggTradeJson } from './agg-trades.ts';
import { recentTrades } from './market/symbol-market.ts';
import { publicTrade } from './market-json.ts';
import { finishParams, type Params, readInteger, readLimit, readTime, requireSymbol, requireText } from './params.ts';
import { deny } from './refusal.ts';
import { requireMarket } from './read-symbols.ts';
import type { PublicRoute } from './routes.ts';
import type { Venue } from './venue.ts';

/** Printed trades, as far as the exchange remembers them. */
export const tradeRoutes = (venue: Venue): PublicRoute[] => [
  {
    ...{ method: 'GET', path: '/api/v3/trades', wsMethod: 'trades.recent', weight: 25, security: 'none' },
    handle: (params) => recent(venue, params),
  },
  {
    ...{ method: 'GET', path: '/api/v3/historicalTrades', wsMethod: 'trades.historical', weight: 25, security: 'none' },
    handle: (params) => historical(venue, params),
  },
  {
    ...{ method: 'GET', path: '/api/v3/aggTrades', wsMethod: 'trades.aggregate', weight: 4, security: 'none' },
    handle: (params) => aggregated(venue, params),
  },
  {
    ...{ method: 'GET', path: '/api/v3/historicalBlockTrades', wsMethod: 'blockTrades.historical', weight: 25 },
    security: 'none',
    handle: (params) => noBlockTrades(venue, params),
  },
];

function recent(venue: Venue, params: Params): unknown {
  const symbol = requireSymbol(params);
  const limit = readLimit(params, 500, 1000);
  finishParams(params);
  return recentTrades(requireMarket(venue, symbol)).slice(-limit).map(publicTrade);
}

function historical(venue: Venue, params: Params): unknown {
  const symbol = requireSymbol(params);
  const fromId = readInteger(params, 'fromId');
  const limit = readLimit(params, 500, 1000);
  finishParams(params);
  const trades = recentTrades(requireMarket(venue, symbol));
  const chosen =
    fromId === undefined ? trades.slice(-limit) : trades.filter((trade) => trade.id >= fromId).slice(0, limit);
  return chosen.map(publicTrade);
}

/** Nobody trades in blocks here. */
function noBlockTrades(venue: Venue, params: Params): unknown {
  const symbol = requireSymbol(params);
  requireText(params, 'fromId');
  readInteger(params, 'fromId');
  readLimit(params, 500, 1000);
  finishParams(params);
  requireMarket(venue, symbol);
  return [];
}

function aggregated(venue: Venue, params: Params): unknown {
  const symbol = requireSymbol(params);
  const fromId = readInteger(params, 'fromId');
  const startMs = readTime(params, 'startTime');
  const endMs = readTime(params, 'endTime');
  const limit = readLimit(params, 500, 1000);
  finishParams(params);
  if (fromId !== undefined && (startMs !== undefined || endMs !== undefined))
    deny(-1128, 'Combination of optional parameters invalid.');
  const matching = aggregateTrades(recentTrades(requireMarket(venue, symbol))).filter(
    (agg) => agg.firstId >= (fromId ?? 0) && agg.atMs >= (startMs ?? 0) && agg.atMs <= (endMs ?? Infinity),
  );
  const oldestFirst = fromId !== undefined || startMs !== undefined;
  return (oldestFirst ? matching.slice(0, limit) : matching.slice(-limit)).map(aggTradeJson);
}
