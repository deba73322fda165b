import { type Grid, type SourceCandle, valueOf } from './source.ts';

/** A candle as clients see it; `closeMs` is inclusive (open + interval - 1). */
export interface Kline {
  readonly openMs: number;
  readonly closeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  readonly quoteVolume: number;
  readonly trades: number;
  readonly takerVolume: number;
  readonly takerQuoteVolume: number;
  /** -1 if nothing traded. */
  readonly firstTradeId: number;
  readonly lastTradeId: number;
}

/**
 * Converts a candle of the source. A candle file has no quote volume and no taker volume: these are estimates from the
 * prices. `trades` gives the number of trades that it is played as, and the id of the first one.
 */
export function klineOf(
  candle: SourceCandle,
  { count, firstId }: { readonly count: number; readonly firstId: number },
): Kline {
  const quoteVolume = (candle.volume * (candle.open + candle.high + candle.low + candle.close)) / 4;
  return {
    openMs: candle.openMs,
    closeMs: candle.closeMs - 1,
    open: candle.open,
    high: candle.high,
    low: candle.low,
    close: candle.close,
    volume: candle.volume,
    quoteVolume,
    trades: count,
    takerVolume: candle.volume / 2,
    takerQuoteVolume: quoteVolume / 2,
    firstTradeId: count === 0 ? -1 : firstId,
    lastTradeId: count === 0 ? -1 : firstId + count - 1,
  };
}

/** Merges two adjacent candles; `first` is the older. */
export const mergeKlines = (first: Kline, second: Kline): Kline => ({
  openMs: first.openMs,
  closeMs: second.closeMs,
  open: first.open,
  high: Math.max(first.high, second.high),
  low: Math.min(first.low, second.low),
  close: second.close,
  volume: first.volume + second.volume,
  quoteVolume: first.quoteVolume + second.quoteVolume,
  trades: first.trades + second.trades,
  takerVolume: first.takerVolume + second.takerVolume,
  takerQuoteVolume: first.takerQuoteVolume + second.takerQuoteVolume,
  firstTradeId: first.firstTradeId < 0 ? second.firstTradeId : first.firstTradeId,
  lastTradeId: Math.max(first.lastTradeId, second.lastTradeId),
});

/** The current candle, built from trades. */
export interface Forming {
  readonly openMs: number;
  readonly closeMs: number;
  /** True once a trade took place that the source does not have. */
  touched: boolean;
  open: number;
  high: number;
  low: number;
  close: number;
  lots: number;
  quote: number;
  trades: number;
  takerLots: number;
  takerQuote: number;
  firstTradeId: number;
  lastTradeId: number;
}

export const beginForming = (openMs: number, closeMs: number): Forming => ({
  openMs,
  closeMs,
  touched: false,
  open: 0,
  high: 0,
  low: 0,
  close: 0,
  lots: 0,
  quote: 0,
  trades: 0,
  takerLots: 0,
  takerQuote: 0,
  firstTradeId: -1,
  lastTradeId: -1,
});

/** Adds one trade to the current candle. */
export function growForming(
  forming: Forming,
  trade: { readonly id: number; readonly ticks: number; readonly lots: number; readonly takerBuys: boolean },
  grid: Grid,
): void {
  const quote = valueOf(trade.ticks, grid.tickUnits) * valueOf(trade.lots, grid.stepUnits);
  if (forming.trades === 0) {
    forming.open = trade.ticks;
    forming.high = trade.ticks;
    forming.low = trade.ticks;
    forming.firstTradeId = trade.id;
  }
  forming.high = Math.max(forming.high, trade.ticks);
  forming.low = Math.min(forming.low, trade.ticks);
  forming.close = trade.ticks;
  forming.lots += trade.lots;
  forming.quote += quote;
  forming.trades += 1;
  forming.lastTradeId = trade.id;
  if (!trade.takerBuys) return;
  forming.takerLots += trade.lots;
  forming.takerQuote += quote;
}

export const klineOfForming = (forming: Forming, grid: Grid): Kline => ({
  openMs: forming.openMs,
  closeMs: forming.closeMs - 1,
  open: valueOf(forming.open, grid.tickUnits),
  high: valueOf(forming.high, grid.tickUnits),
  low: valueOf(forming.low, grid.tickUnits),
  close: valueOf(forming.close, grid.tickUnits),
  volume: valueOf(forming.lots, grid.stepUnits),
  quoteVolume: forming.quote,
  trades: forming.trades,
  takerVolume: valueOf(forming.takerLots, grid.stepUnits),
  takerQuoteVolume: forming.takerQuote,
  firstTradeId: forming.firstTradeId,
  lastTradeId: forming.lastTradeId,
});
