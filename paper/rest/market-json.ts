import type { Kline } from '#paper/market/kline.ts';
import type { Level } from '#paper/market/quote.ts';
import type { PublicTrade, SymbolMarket } from '#paper/market/symbol-market.ts';
import { fixed8 } from './order-json.ts';
import { depthOf } from '#paper/exchange/taker.ts';
import type { Book } from '#paper/exchange/book.ts';

/** Market values are float64; the API has 8 decimals. */
export const number8 = (value: number): string => value.toFixed(8);

/** A row of klines. */
export const klineRow = (kline: Kline): unknown[] => [
  kline.openMs,
  number8(kline.open),
  number8(kline.high),
  number8(kline.low),
  number8(kline.close),
  number8(kline.volume),
  kline.closeMs,
  number8(kline.quoteVolume),
  kline.trades,
  number8(kline.takerVolume),
  number8(kline.takerQuoteVolume),
  '0',
];

export const publicTrade = (trade: PublicTrade): Record<string, unknown> => ({
  id: trade.id,
  price: fixed8(trade.price),
  qty: number8(trade.quantityNumber),
  quoteQty: number8(trade.priceNumber * trade.quantityNumber),
  time: trade.atMs,
  isBuyerMaker: !trade.takerBuys,
  isBestMatch: true,
});

const levelRow = (level: Level): [string, string] => [fixed8(level.price), fixed8(level.quantity)];

export function depthRows(
  book: Book,
  market: SymbolMarket,
  limit: number,
): { bids: [string, string][]; asks: [string, string][] } {
  const { bids, asks } = depthOf(book, market, limit);
  return { bids: bids.map(levelRow), asks: asks.map(levelRow) };
}

/** Best bid and ask as text; zeros on an empty side. */
export function bestOf(book: Book, market: SymbolMarket): { bid: [string, string]; ask: [string, string] } {
  const { bids, asks } = depthRows(book, market, 1);
  const none: [string, string] = [number8(0), number8(0)];
  return { bid: bids[0] ?? none, ask: asks[0] ?? none };
}
