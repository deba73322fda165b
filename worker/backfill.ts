import { type Candle, type CandleColumns, type Interval, INTERVAL_MS } from '#core/market/candle.ts';
import type { MarketPort } from '#core/ports/exchange.ts';
import type { EngineLog } from '#engine/state/ports.ts';
import { ExchangeError } from '#exchange/errors.ts';
import type { CandleStore } from '#storage/candles/store.ts';

/** The exchange's code for an interval that it has no candles of, as a replay of hours has no minutes. */
const NO_SUCH_INTERVAL = -1120;
/** Most candles of one request. */
const PAGE = 1000;
/** Pages that are collected before one write. */
const PAGES_A_WRITE = 50;

interface BackfillOrder {
  readonly symbol: string;
  readonly interval: Interval;
  readonly fromMs: number;
  readonly toMs: number;
  readonly signal?: AbortSignal;
  onPage?(candlesSoFar: number): void;
}

const columnsOf = (candles: readonly Candle[]): CandleColumns => {
  const column = (name: 'openMs' | 'open' | 'high' | 'low' | 'close' | 'volume'): Float64Array =>
    Float64Array.from(candles, (candle) => candle[name]);
  return {
    openMs: column('openMs'),
    open: column('open'),
    high: column('high'),
    low: column('low'),
    close: column('close'),
    volume: column('volume'),
  };
};

/** Spans of the window that the store lacks, `to` exclusive; computed from the headers of the files. */
function missingSpans(store: CandleStore, { symbol, interval, fromMs, toMs }: BackfillOrder): [number, number][] {
  const stepMs = INTERVAL_MS[interval];
  const firstMs = Math.ceil(fromMs / stepMs) * stepMs;
  const endMs = Math.floor(toMs / stepMs) * stepMs;
  const stored = store.find(symbol, interval) ?? { fromMs: endMs, toMs: endMs, gaps: [] };
  const gaps = stored.gaps.map(({ fromMs: gapMs, candles }): [number, number] => [gapMs, gapMs + candles * stepMs]);
  return [[firstMs, stored.fromMs] as const, ...gaps, [stored.toMs, endMs] as const]
    .map(([from, to]): [number, number] => [Math.max(from, firstMs), Math.min(to, endMs)])
    .filter(([from, to]) => from < to);
}

/**
 * Fetches the closed candles that the store lacks, with the lowest request priority. Of several processes that share the
 * folder one fetches, and the others then find its candles. Candles that the exchange does not have stay a gap. Returns
 * the number of added candles.
 */
export async function backfillCandles(market: MarketPort, store: CandleStore, order: BackfillOrder): Promise<number> {
  const { symbol, interval, signal } = order;
  const stepMs = INTERVAL_MS[interval];
  let added = 0;
  if (missingSpans(store, order).length === 0) return added;
  using _turn = await store.turn(symbol, interval, signal);
  for (const [fromMs, toMs] of missingSpans(store, order)) {
    let kept: Candle[] = [];
    for (let atMs = fromMs; atMs < toMs; ) {
      signal?.throwIfAborted();
      const limit = Math.min(PAGE, Math.round((toMs - atMs) / stepMs));
      const page = await market.candles({ symbol, interval, limit, fromMs: atMs, beforeMs: toMs });
      kept.push(...page.filter(({ closed, openMs }) => closed && openMs < toMs));
      atMs = Math.max(atMs, (page.at(-1)?.openMs ?? toMs) + stepMs);
      order.onPage?.(added + kept.length);
      if (kept.length < PAGES_A_WRITE * PAGE && atMs < toMs) continue;
      if (kept.length > 0) added += store.add(symbol, interval, columnsOf(kept)).added;
      kept = [];
    }
  }
  return added;
}

interface Source {
  readonly market: MarketPort;
  readonly store: CandleStore;
  readonly log: Pick<EngineLog, 'info' | 'warn'>;
}

/**
 * Like `backfillCandles`, for callers that can use the candles that are stored: a failure is logged, and returned as a
 * sentence. Null when nothing failed. Throws only when the signal is aborted.
 */
export async function tryBackfill({ market, store, log }: Source, order: BackfillOrder): Promise<string | null> {
  const { symbol, interval, signal } = order;
  try {
    await backfillCandles(market, store, order);
    return null;
  } catch (error) {
    signal?.throwIfAborted();
    const fields = { event: 'backfill_failed', symbol, interval, err: error };
    if (error instanceof ExchangeError && error.code === NO_SUCH_INTERVAL) {
      const none = `The exchange has no ${interval} candles of ${symbol}.`;
      log.info(fields, none);
      return none;
    }
    log.warn(fields, `The ${interval} candles of ${symbol} could not be fetched`);
    return error instanceof Error ? error.message : 'The exchange did not answer.';
  }
}
