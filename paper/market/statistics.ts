import { toNumber } from '#core/amount/decimal.ts';
import { type Kline, mergeKlines } from './kline.ts';
import { ownCandles } from './klines.ts';
import { formingKline, type SymbolMarket } from './symbol-market.ts';

export const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const AVERAGE_MS = 5 * MINUTE_MS;

/** Volume-weighted price of the last five minutes; the last price if nothing traded. */
export function averagePrice(market: SymbolMarket, nowMs: number): { price: number; closeMs: number } {
  let [volume, quote] = [0, 0];
  for (const candle of ownCandles(market, { fromMs: nowMs - AVERAGE_MS, untilMs: nowMs + 1 }, nowMs)) {
    volume += candle.volume;
    quote += candle.quoteVolume;
  }
  const last = market.lastPrice === undefined ? 0 : toNumber(market.lastPrice);
  return { price: volume > 0 ? quote / volume : last, closeMs: market.recent.at(-1)?.atMs ?? nowMs };
}

/** A time range up to now, with its trades as one candle; `kline` is undefined if the coin did not trade. */
export interface Span {
  readonly fromMs: number;
  readonly nowMs: number;
  readonly kline: Kline | undefined;
}

/** The closed part of a rolling window, cached until the next candle closes. */
interface ClosedPart {
  readonly fromMs: number;
  readonly currentMs: number;
  readonly kline: Kline | undefined;
}
const closedParts = new WeakMap<SymbolMarket, Map<number, ClosedPart>>();

/** The last `lengthMs`. It starts at a full minute and is thus up to 59,999 ms longer. */
export function rollingSpan(market: SymbolMarket, lengthMs: number, nowMs: number): Span {
  const fromMs = nowMs - lengthMs - ((nowMs - lengthMs) % MINUTE_MS);
  const currentMs = nowMs - (nowMs % market.listing.intervalMs);
  const parts = closedParts.get(market) ?? new Map<number, ClosedPart>();
  closedParts.set(market, parts);
  let part = parts.get(lengthMs);
  if (part?.currentMs !== currentMs || part.fromMs !== fromMs) {
    part = { fromMs, currentMs, kline: sumOf(market, { fromMs, untilMs: currentMs }, nowMs) };
    parts.set(lengthMs, part);
  }
  const forming = formingKline(market);
  const isCurrent = forming !== undefined && forming.openMs === currentMs && currentMs >= fromMs;
  return { fromMs, nowMs, kline: isCurrent ? join(part.kline, forming) : part.kline };
}

/** From `fromMs` until now. */
export const spanSince = (market: SymbolMarket, fromMs: number, nowMs: number): Span => ({
  fromMs,
  nowMs,
  kline: sumOf(market, { fromMs, untilMs: nowMs + 1 }, nowMs),
});

function sumOf(
  market: SymbolMarket,
  range: { readonly fromMs: number; readonly untilMs: number },
  nowMs: number,
): Kline | undefined {
  let sum: Kline | undefined;
  for (const candle of ownCandles(market, range, nowMs)) sum = join(sum, candle);
  return sum;
}

const join = (first: Kline | undefined, second: Kline): Kline =>
  first === undefined ? second : mergeKlines(first, second);
