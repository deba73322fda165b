import type { Decimal } from '#core/amount/decimal.ts';
import { type AggTrade, aggTradeJson } from '#paper/rest/agg-trades.ts';
import type { DepthDifference } from './depth-watch.ts';
import type { Kline } from '#paper/market/kline.ts';
import type { PublicTrade } from '#paper/market/symbol-market.ts';
import { number8 } from '#paper/rest/market-json.ts';
import { fixed8 } from '#paper/rest/order-json.ts';

/** Payloads of the market streams. */
export const tradeFrame = (trade: PublicTrade): Record<string, unknown> => ({
  e: 'trade',
  E: trade.atMs,
  s: trade.symbol,
  t: trade.id,
  p: fixed8(trade.price),
  q: number8(trade.quantityNumber),
  T: trade.atMs,
  m: !trade.takerBuys,
  M: true,
});

export const klineFrame = (
  kline: Kline,
  about: { readonly symbol: string; readonly interval: string; readonly closed: boolean; readonly atMs: number },
): Record<string, unknown> => ({
  e: 'kline',
  E: about.atMs,
  s: about.symbol,
  k: {
    t: kline.openMs,
    T: kline.closeMs,
    s: about.symbol,
    i: about.interval,
    f: kline.firstTradeId,
    L: kline.lastTradeId,
    o: number8(kline.open),
    c: number8(kline.close),
    h: number8(kline.high),
    l: number8(kline.low),
    v: number8(kline.volume),
    n: kline.trades,
    x: about.closed,
    q: number8(kline.quoteVolume),
    V: number8(kline.takerVolume),
    Q: number8(kline.takerQuoteVolume),
    B: '0',
  },
});

export const bookTickerFrame = (
  symbol: string,
  updateId: number,
  best: { readonly bid: readonly [string, string]; readonly ask: readonly [string, string] },
): Record<string, unknown> => ({
  u: updateId,
  s: symbol,
  b: best.bid[0],
  B: best.bid[1],
  a: best.ask[0],
  A: best.ask[1],
});

export const aggTradeFrame = (agg: AggTrade, atMs: number): Record<string, unknown> => ({
  e: 'aggTrade',
  E: atMs,
  s: agg.symbol,
  ...aggTradeJson(agg),
});

export const depthFrame = (symbol: string, difference: DepthDifference, atMs: number): Record<string, unknown> => ({
  e: 'depthUpdate',
  E: atMs,
  s: symbol,
  U: difference.firstId,
  u: difference.lastId,
  b: difference.bids,
  a: difference.asks,
});

/** Undefined for a coin without a reference price. */
export const referenceFrame = (
  symbol: string,
  reference: { readonly price: Decimal | null; readonly atMs: number } | undefined,
): Record<string, unknown> | undefined =>
  reference && {
    e: 'referencePrice',
    s: symbol,
    r: reference.price === null ? null : fixed8(reference.price),
    t: reference.atMs,
  };

export const averageFrame = (
  symbol: string,
  average: { readonly price: number; readonly closeMs: number },
  atMs: number,
): Record<string, unknown> => ({
  e: 'avgPrice',
  E: atMs,
  s: symbol,
  i: '5m',
  w: number8(average.price),
  T: average.closeMs,
});
