import { aggregateTrades, aggTradeJson } from './agg-trades.ts';
import { recentTrades } from '#paper/market/symbol-market.ts';
import { publicTrade } from './market-json.ts';
import { finishParams, type Params, readInteger, readLimit, readTime, requireSymbol, requireText } from './params.ts';
import { deny } from '#paper/exchange/refusal.ts';
import { requireMarket } from './read-symbols.ts';
import { publicQuery, type PublicRoute } from './routes.ts';
import type { Venue } from '#paper/exchange/venue.ts';

/** Printed trades, as far as the exchange keeps them. */
export const tradeRoutes = (venue: Venue): PublicRoute[] => [
  publicQuery(venue, ['trades', 'trades.recent', 25], recent),
  publicQuery(venue, ['historicalTrades', 'trades.historical', 25], historical),
  publicQuery(venue, ['aggTrades', 'trades.aggregate', 4], aggregated),
  publicQuery(venue, ['historicalBlockTrades', 'blockTrades.historical', 25], noBlockTrades),
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

/** The paper exchange has no block trades. */
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
    (agg) => agg.id >= (fromId ?? 0) && agg.atMs >= (startMs ?? 0) && agg.atMs <= (endMs ?? Infinity),
  );
  const oldestFirst = fromId !== undefined || startMs !== undefined;
  return (oldestFirst ? matching.slice(0, limit) : matching.slice(-limit)).map(aggTradeJson);
}
