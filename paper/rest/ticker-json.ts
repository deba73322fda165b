import type { Span } from '#paper/market/statistics.ts';
import { number8 } from './market-json.ts';

/** Best bid and ask, each as price and quantity. */
interface Best {
  readonly bid: readonly [string, string];
  readonly ask: readonly [string, string];
}

/** Price statistics of a time range, as text of the API. */
function statisticsOf({ kline, fromMs, nowMs }: Span) {
  const [open, last] = [kline?.open ?? 0, kline?.close ?? 0];
  return {
    priceChange: number8(last - open),
    priceChangePercent: (open === 0 ? 0 : ((last - open) / open) * 100).toFixed(3),
    weightedAvgPrice: number8(kline !== undefined && kline.volume > 0 ? kline.quoteVolume / kline.volume : 0),
    openPrice: number8(open),
    highPrice: number8(kline?.high ?? 0),
    lowPrice: number8(kline?.low ?? 0),
    lastPrice: number8(last),
    volume: number8(kline?.volume ?? 0),
    quoteVolume: number8(kline?.quoteVolume ?? 0),
    openTime: fromMs,
    closeTime: nowMs,
    firstId: kline?.firstTradeId ?? -1,
    lastId: kline?.lastTradeId ?? -1,
    count: kline?.trades ?? 0,
  };
}

/** The short form of every ticker. */
export function miniTicker(symbol: string, span: Span): Record<string, unknown> {
  const { priceChange: _, priceChangePercent: __, weightedAvgPrice: ___, ...mini } = statisticsOf(span);
  return { symbol, ...mini };
}

/** ticker and ticker/tradingDay. */
export const windowTicker = (symbol: string, span: Span): Record<string, unknown> => ({
  symbol,
  ...statisticsOf(span),
});

/** ticker/24hr: the window's statistics with the last trade and the best prices. */
export function dayTicker(
  symbol: string,
  span: Span,
  now: { readonly best: Best; readonly lastQuantity: number },
): Record<string, unknown> {
  const { priceChange, priceChangePercent, weightedAvgPrice, lastPrice, ...rest } = statisticsOf(span);
  return {
    symbol,
    priceChange,
    priceChangePercent,
    weightedAvgPrice,
    prevClosePrice: rest.openPrice,
    lastPrice,
    lastQty: number8(now.lastQuantity),
    bidPrice: now.best.bid[0],
    bidQty: now.best.bid[1],
    askPrice: now.best.ask[0],
    askQty: now.best.ask[1],
    ...rest,
  };
}

export function miniTickerFrame(symbol: string, span: Span): Record<string, unknown> {
  const s = statisticsOf(span);
  return {
    e: '24hrMiniTicker',
    E: span.nowMs,
    s: symbol,
    c: s.lastPrice,
    o: s.openPrice,
    h: s.highPrice,
    l: s.lowPrice,
    v: s.volume,
    q: s.quoteVolume,
  };
}

/** `name` is the length of the window, such as `1h`. */
export function windowTickerFrame(symbol: string, name: string, span: Span): Record<string, unknown> {
  const s = statisticsOf(span);
  return {
    e: `${name}Ticker`,
    E: span.nowMs,
    s: symbol,
    p: s.priceChange,
    P: s.priceChangePercent,
    o: s.openPrice,
    h: s.highPrice,
    l: s.lowPrice,
    c: s.lastPrice,
    w: s.weightedAvgPrice,
    v: s.volume,
    q: s.quoteVolume,
    O: s.openTime,
    C: s.closeTime,
    F: s.firstId,
    L: s.lastId,
    n: s.count,
  };
}

export function dayTickerFrame(
  symbol: string,
  span: Span,
  now: { readonly best: Best; readonly lastQuantity: number },
): Record<string, unknown> {
  const { best } = now;
  return {
    ...windowTickerFrame(symbol, '24hr', span),
    x: number8(span.kline?.open ?? 0),
    Q: number8(now.lastQuantity),
    b: best.bid[0],
    B: best.bid[1],
    a: best.ask[0],
    A: best.ask[1],
  };
}
