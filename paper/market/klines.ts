import { type Frame, frameOf, type KlineInterval, nextOpen } from './frames.ts';
import { type Kline, mergeKlines } from './kline.ts';
import { candleAt } from './source.ts';
import { formingKline, klineOfSource, type SymbolMarket } from './symbol-market.ts';

export interface KlineQuery {
  readonly interval: KlineInterval;
  /** Offset of the candles' time zone from UTC, ahead is positive. */
  readonly offsetMs?: number;
  readonly startMs?: number | undefined;
  readonly endMs?: number | undefined;
  readonly limit: number;
}

/** Whether a market has candles of an interval: its own candles must not be longer. */
export const hasCandles = ({ listing }: SymbolMarket, interval: KlineInterval): boolean =>
  frameOf(interval).lengthMs >= listing.intervalMs;

/**
 * Candles of any interval that the coin's own interval divides, oldest first, the current one last. Without times: the
 * newest `limit`. With a start: the oldest from there. With an end: the newest up to it. With both: like a start,
 * capped by the end.
 */
export function readKlines(market: SymbolMarket, query: KlineQuery, nowMs: number): Kline[] {
  const frame = frameOf(query.interval, query.offsetMs);
  if (frame.unitMs % market.listing.intervalMs !== 0) return [];
  const endMs = Math.min(query.endMs ?? nowMs, nowMs);
  const range = { frame, beyondMs: nextOpen(frame, frame.openOf(endMs)), limit: query.limit };
  if (query.startMs === undefined) return readBackwards(market, range, nowMs);
  const openMs = frame.openOf(query.startMs);
  const fromMs = openMs < query.startMs ? nextOpen(frame, openMs) : openMs;
  return readForwards(market, { ...range, fromMs }, nowMs);
}

interface Range {
  readonly frame: Frame;
  readonly fromMs: number;
  readonly beyondMs: number;
  readonly limit: number;
}

function readForwards(market: SymbolMarket, range: Range, nowMs: number): Kline[] {
  const { frame } = range;
  const found: Kline[] = [];
  let fromMs = range.fromMs;
  while (found.length < range.limit && fromMs < range.beyondMs) {
    const step = (range.limit - found.length) * frame.lengthMs;
    const untilMs = Math.min(range.beyondMs, frame.openOf(fromMs + step));
    found.push(...aggregate(market, { fromMs, untilMs, frame }, nowMs));
    const nextMs = Math.min(
      market.source.candleAfter(market.listing.rules.symbol, untilMs)?.openMs ?? Infinity,
      market.overrides.keys().find((openMs) => openMs >= untilMs) ?? Infinity,
      market.forming?.openMs ?? Infinity,
    );
    fromMs = Math.max(untilMs, frame.openOf(Math.min(nextMs, range.beyondMs)));
  }
  return found.slice(0, range.limit);
}

function readBackwards(market: SymbolMarket, range: Omit<Range, 'fromMs'>, nowMs: number): Kline[] {
  const { frame } = range;
  let found: Kline[] = [];
  let untilMs = range.beyondMs;
  while (found.length < range.limit) {
    const fromMs = frame.openOf(untilMs - (range.limit - found.length) * frame.lengthMs);
    found = [...aggregate(market, { fromMs, untilMs, frame }, nowMs), ...found];
    const beforeMs = Math.max(
      market.source.candleBefore(market.listing.rules.symbol, fromMs)?.openMs ?? -Infinity,
      ...market.overrides.keys().filter((openMs) => openMs < fromMs),
    );
    if (beforeMs === -Infinity) break;
    untilMs = Math.min(fromMs, nextOpen(frame, frame.openOf(beforeMs)));
  }
  return found.slice(-range.limit);
}

/** Candles of a frame whose open is in [fromMs, untilMs), from the coin's own candles. */
export function aggregate(
  market: SymbolMarket,
  range: { readonly fromMs: number; readonly untilMs: number; readonly frame: Frame },
  nowMs: number,
): Kline[] {
  const { frame } = range;
  const result: Kline[] = [];
  let current: Kline | undefined;
  let [openMs, nextMs] = [Number.NaN, -Infinity];
  for (const own of ownCandles(market, range, nowMs)) {
    if (own.openMs >= nextMs || current === undefined) {
      if (current !== undefined) result.push(current);
      openMs = frame.openOf(own.openMs);
      nextMs = nextOpen(frame, openMs);
      current = own;
    } else current = mergeKlines(current, own);
    current = { ...current, openMs, closeMs: nextMs - 1 };
  }
  if (current !== undefined) result.push(current);
  return result;
}

/** Candles that only clients traded in, where the source has none. */
function* ownBetween({ overrides }: SymbolMarket, fromMs: number, toMs: number): Generator<Kline> {
  if (fromMs >= toMs || overrides.size === 0) return;
  for (const [openMs, kline] of overrides) if (openMs >= fromMs && openMs < toMs) yield kline;
}

/** The coin's own candles with fromMs <= openMs < untilMs as of `nowMs`: closed ones, then the current one. */
export function* ownCandles(
  market: SymbolMarket,
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
  nowMs: number,
): Generator<Kline> {
  const { intervalMs, rules } = market.listing;
  const currentMs = nowMs - (nowMs % intervalMs);
  const toMs = Math.min(untilMs, currentMs);
  const columns = market.source.candles(rules.symbol, fromMs, toMs);
  let nextMs = fromMs;
  for (let row = 0; row < columns.openMs.length; row++) {
    const candle = candleAt(columns, row, intervalMs);
    if (candle === undefined) continue;
    yield* ownBetween(market, nextMs, candle.openMs);
    yield market.overrides.get(candle.openMs) ?? klineOfSource(market, candle);
    nextMs = candle.closeMs;
  }
  yield* ownBetween(market, nextMs, toMs);
  const forming = formingKline(market);
  if (forming !== undefined && forming.openMs >= fromMs && forming.openMs < untilMs && forming.openMs === currentMs)
    yield forming;
}
