import { type Frame, frameOf, type KlineInterval, nextOpen } from '#paper/market/frames.ts';
import { type Kline, mergeKlines } from '#paper/market/kline.ts';
import { aggregate } from '#paper/market/klines.ts';
import { closedCandle, formingKline, type SymbolMarket } from '#paper/market/symbol-market.ts';

/** A live candle of one interval: its closed part plus the coin's own current candle. */
export interface KlineWatch {
  readonly interval: KlineInterval;
  readonly frame: Frame;
  openMs: number;
  part: Kline | undefined;
  sentMs: number;
}

export interface KlineUpdate {
  readonly kline: Kline;
  readonly closed: boolean;
}

/** Minimum market time between updates of one candle. Its close is always sent. */
const UPDATE_MS = 2000;

/** Undefined if the coin's own candles are longer than the interval, or do not divide it. */
export function openKlineWatch(
  market: SymbolMarket,
  candles: { readonly interval: KlineInterval; readonly offsetMs: number },
  nowMs: number,
): KlineWatch | undefined {
  const frame = frameOf(candles.interval, candles.offsetMs);
  if (frame.unitMs % market.listing.intervalMs !== 0) return undefined;
  const openMs = frame.openOf(nowMs);
  const currentMs = nowMs - (nowMs % market.listing.intervalMs);
  const [part] = aggregate(market, { fromMs: openMs, untilMs: currentMs, frame }, nowMs);
  return { interval: candles.interval, frame, openMs, part, sentMs: 0 };
}

/** After a trade: the previous candle if it ended without its own close, then the current one when due. */
export function updatesAfterTrade(watch: KlineWatch, market: SymbolMarket, atMs: number): KlineUpdate[] {
  const updates = watch.frame.openOf(atMs) > watch.openMs ? finish(watch, atMs) : [];
  const forming = formingKline(market);
  if (forming === undefined || atMs - watch.sentMs < UPDATE_MS) return updates;
  watch.sentMs = atMs;
  const kline = watch.part === undefined ? forming : mergeKlines(watch.part, forming);
  return [...updates, { kline: stretch(kline, watch), closed: false }];
}

/** Updates after a candle of the coin's own interval has closed. */
export function updatesAfterClose(watch: KlineWatch, market: SymbolMarket, openMs: number): KlineUpdate[] {
  const updates = watch.frame.openOf(openMs) > watch.openMs ? finish(watch, openMs) : [];
  const own = closedCandle(market, openMs);
  if (own !== undefined) watch.part = watch.part === undefined ? own : mergeKlines(watch.part, own);
  const nextMs = openMs + market.listing.intervalMs;
  return watch.frame.openOf(nextMs) === nextMs ? [...updates, ...finish(watch, nextMs)] : updates;
}

/** Closes the current candle and moves on to the one that contains `atMs`. */
function finish(watch: KlineWatch, atMs: number): KlineUpdate[] {
  const kline = watch.part && stretch(watch.part, watch);
  watch.part = undefined;
  watch.sentMs = 0;
  watch.openMs = watch.frame.openOf(atMs);
  return kline === undefined ? [] : [{ kline, closed: true }];
}

const stretch = (kline: Kline, watch: KlineWatch): Kline => ({
  ...kline,
  openMs: watch.openMs,
  closeMs: nextOpen(watch.frame, watch.openMs) - 1,
});
