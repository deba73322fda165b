import { type Candle, type CandleColumns, INTERVAL_MS } from '#core/market/candle.ts';
import { lowerBound } from '#core/market/candle-columns.ts';
import { createGates, gateNeeds } from '#core/decision/gates.ts';
import type { TickView } from '#core/judge/view.ts';
import type { StrategyInstance } from '#strategies/strategy.ts';
import type { Series } from './columns.ts';
import type { CandleFeed, GateFeed, KernelInput } from './run-state.ts';

/** Opens the feed `want` closed candles before `startMs` and feeds these at once. */
export function openFeed(
  series: Series,
  target: { readonly instance: Pick<StrategyInstance, 'onCandle'>; readonly view: TickView },
  window: { readonly startMs: number; readonly want: number },
): CandleFeed {
  const { columns } = series;
  const { instance, view } = target;
  const lengthMs = INTERVAL_MS[series.interval];
  const candle = { openMs: 0, closeMs: 0, open: 0, high: 0, low: 0, close: 0, volume: 0, closed: true };
  const first = lowerBound(columns.openMs, window.startMs - lengthMs + 1);
  const row = Math.max(0, first - window.want);
  const feed = {
    row,
    nextCloseMs: (columns.openMs[row] ?? Number.POSITIVE_INFINITY) + lengthMs,
    warmUp: first - row,
    feedClosed(): void {
      while (feed.nextCloseMs <= view.nowMs) {
        readInto(candle, columns, feed.row);
        candle.closeMs = feed.nextCloseMs;
        instance.onCandle(candle, view);
        feed.skipTo(feed.row + 1);
      }
    },
    skipTo(next: number): void {
      feed.row = next;
      // A read past the end of a column makes every later read of it allocate.
      const more = next < columns.openMs.length;
      feed.nextCloseMs = more ? (columns.openMs[next] ?? 0) + lengthMs : Number.POSITIVE_INFINITY;
    },
  };
  view.nowMs = window.startMs;
  feed.feedClosed();
  return feed;
}

/** Feeds the longer candles that a strategy needs before its own ones: up to the one in which its own ones begin. */
export function feedLonger(
  { bound, signal, longer = [] }: KernelInput,
  instance: StrategyInstance,
  startMs: number,
): void {
  const { needs } = bound;
  const first = lowerBound(signal.columns.openMs, startMs - INTERVAL_MS[needs.interval] + 1);
  const ownMs = signal.columns.openMs[Math.max(0, first - needs.want)] ?? startMs;
  const candle = { openMs: 0, closeMs: 0, open: 0, high: 0, low: 0, close: 0, volume: 0, closed: true };
  for (const { interval, want } of needs.also ?? []) {
    const columns = longer.find((series) => series.interval === interval)?.columns;
    if (columns === undefined) continue;
    const lengthMs = INTERVAL_MS[interval];
    const end = Math.min(lowerBound(columns.openMs, ownMs + 1), lowerBound(columns.openMs, startMs - lengthMs + 1));
    for (let row = Math.max(0, end - want); row < end; row += 1) {
      readInto(candle, columns, row);
      candle.closeMs = candle.openMs + lengthMs;
      instance.onLongerCandle?.(interval, candle);
    }
  }
}

/** Opens the gates that the settings use; null without gates. Throws when candles for one are missing. */
export function openGates(input: KernelInput, view: TickView, startMs: number): GateFeed | null {
  const settings = input.bound.shared.gates;
  if (settings === undefined) return null;
  const gates = createGates(settings);
  const feeds = gateNeeds(settings).map(({ interval, want }) => {
    const series = input.gateSeries?.find((each) => each.interval === interval);
    if (series === undefined) throw new RangeError(`the gates need ${interval} candles`);
    const instance = { onCandle: (candle: Candle) => gates.onCandle(interval, candle) };
    return openFeed(series, { instance, view }, { startMs, want });
  });
  const feed: GateFeed = {
    gates,
    nextMs: 0,
    feedClosed() {
      feed.nextMs = Number.POSITIVE_INFINITY;
      for (const each of feeds) {
        if (each.nextCloseMs <= view.nowMs) each.feedClosed();
        feed.nextMs = Math.min(feed.nextMs, each.nextCloseMs);
      }
      view.regime = gates.regime;
      view.ratingSells = gates.sells(view.nowMs);
    },
  };
  feed.feedClosed();
  return feed;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

type Row = Writable<Record<'openMs' | 'open' | 'high' | 'low' | 'close' | 'volume', number>>;

function readInto(candle: Row, columns: CandleColumns, row: number): void {
  candle.openMs = columns.openMs[row] ?? 0;
  candle.open = columns.open[row] ?? 0;
  candle.high = columns.high[row] ?? 0;
  candle.low = columns.low[row] ?? 0;
  candle.close = columns.close[row] ?? 0;
  candle.volume = columns.volume[row] ?? 0;
}
