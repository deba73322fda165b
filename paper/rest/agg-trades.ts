import { add, type Decimal, fromNumber } from '#core/amount/decimal.ts';
import type { PublicTrade } from '#paper/market/symbol-market.ts';
import { fixed8 } from './order-json.ts';

/**
 * Consecutive trades of one taker at one price, reported as one. Ids of aggregates are consecutive, like those of
 * trades.
 */
export interface AggTrade {
  readonly id: number;
  readonly symbol: string;
  readonly price: Decimal;
  readonly quantity: Decimal;
  readonly firstId: number;
  readonly lastId: number;
  readonly atMs: number;
  readonly takerBuys: boolean;
}

const openAggregate = (trade: PublicTrade): AggTrade => ({
  id: trade.aggregateId,
  symbol: trade.symbol,
  price: trade.price,
  quantity: fromNumber(trade.quantityNumber),
  firstId: trade.id,
  lastId: trade.id,
  atMs: trade.atMs,
  takerBuys: trade.takerBuys,
});

/** Adds the next trade to the aggregate; undefined if that trade starts a new aggregate. */
const addTrade = (agg: AggTrade, trade: PublicTrade): AggTrade | undefined =>
  agg.id === trade.aggregateId
    ? { ...agg, lastId: trade.id, quantity: add(agg.quantity, fromNumber(trade.quantityNumber)) }
    : undefined;

/** Trades, oldest first, as aggregates. */
export function aggregateTrades(trades: readonly PublicTrade[]): AggTrade[] {
  const result: AggTrade[] = [];
  for (const trade of trades) {
    const last = result.at(-1);
    const extended = last && addTrade(last, trade);
    if (extended === undefined) result.push(openAggregate(trade));
    else result[result.length - 1] = extended;
  }
  return result;
}

/** Members that the query and the stream share. */
export const aggTradeJson = (agg: AggTrade): Record<string, unknown> => ({
  a: agg.id,
  p: fixed8(agg.price),
  q: fixed8(agg.quantity),
  f: agg.firstId,
  l: agg.lastId,
  T: agg.atMs,
  m: !agg.takerBuys,
  M: true,
});
