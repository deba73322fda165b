import { type CandleColumns, INTERVAL_MS } from '#core/market/candle.ts';
import { lowerBound } from '#core/market/candle-columns.ts';
import { toNumber } from '#core/amount/decimal.ts';
import { type Extremes, extremesOf } from '#core/market/extremes.ts';
import type { SweptMarket } from '#strategies/sweep.ts';

const DAY_MS = 86_400_000;

/** The candles of a window for all vector runs of a sweep: prices in whole ticks, rows of the detail series. */
export interface VectorMarket {
  /** Quote price of one tick. */
  readonly tick: number;
  readonly start: number;
  readonly end: number;
  readonly lengthMs: number;
  readonly openMs: Float64Array;
  readonly volume: Float64Array;
  readonly closes: Extremes;
  readonly openTicks: Int32Array;
  readonly lowTicks: Int32Array;
  readonly closeTicks: Int32Array;
  readonly lows: Extremes;
  /** For each UTC day the last row in it or before it. */
  readonly dayRows: Int32Array;
  readonly signalMs: number;
  readonly signalOpenMs: Float64Array;
  readonly signalClose: Float64Array;
  readonly signalCloseTicks: Int32Array;
  readonly signals: Extremes;
  /** The row at whose close each signal candle reaches the strategy; one more entry ends the list. */
  readonly deliveryRow: Int32Array;
  /** Signal and detail are the same series. */
  readonly aligned: boolean;
  /** First signal candle that closes after the start of the window. */
  readonly firstInside: number;
}

/** The highest count of ticks that an Int32Array holds. */
const MOST_TICKS = 2 ** 31 - 1;

/** Undefined when a price has more ticks than the column can hold. */
function ticksOf(prices: Float64Array, tick: number): Int32Array | undefined {
  const ticks = new Int32Array(prices.length);
  let most = 0;
  for (let row = 0; row < ticks.length; row++) {
    const count = Math.round((prices[row] ?? 0) / tick);
    if (count > most) most = count;
    ticks[row] = count;
  }
  return most > MOST_TICKS ? undefined : ticks;
}

type Prices = Pick<VectorMarket, 'closes' | 'openTicks' | 'lowTicks' | 'closeTicks' | 'lows'> & {
  readonly closeExtremes: Extremes;
};

/** The prices of a series in ticks, computed once for all windows; undefined when a column cannot hold them. */
const known = new WeakMap<CandleColumns, { readonly tick: number; readonly prices: Prices | undefined }>();

function pricesOf(columns: CandleColumns, tick: number): Prices | undefined {
  const found = known.get(columns);
  if (found?.tick === tick) return found.prices;
  const [openTicks, lowTicks] = [ticksOf(columns.open, tick), ticksOf(columns.low, tick)];
  const closeTicks = ticksOf(columns.close, tick);
  const fits = openTicks !== undefined && lowTicks !== undefined && closeTicks !== undefined;
  const prices = fits
    ? {
        ...{ openTicks, lowTicks, closeTicks, closes: extremesOf(columns.close) },
        ...{ lows: extremesOf(lowTicks), closeExtremes: extremesOf(closeTicks) },
      }
    : undefined;
  known.set(columns, { tick, prices });
  return prices;
}

/** Reads the window once for all vector runs; undefined when a long gap would restart the averages. */
export function readVectorMarket({ rules, signal, detail, start, end }: SweptMarket): VectorMarket | undefined {
  const { openMs, volume } = detail.columns;
  const tick = toNumber(rules.price.tick);
  const prices = pricesOf(detail.columns, tick);
  const signals = pricesOf(signal.columns, tick);
  if (prices === undefined || signals === undefined) return undefined;
  const { closes, openTicks, lowTicks, closeTicks, lows } = prices;
  const lengthMs = INTERVAL_MS[detail.interval];
  const signalMs = INTERVAL_MS[signal.interval];
  const signalOpenMs = signal.columns.openMs;
  const count = signalOpenMs.length;
  const deliveryRow = new Int32Array(count + 1).fill(end);
  let row = start;
  for (let k = 0; k < count; k++) {
    const closeMs = (signalOpenMs[k] ?? 0) + signalMs;
    if (k > 0 && closeMs - (signalOpenMs[k - 1] ?? 0) > LONGEST_HOLE * signalMs) return undefined;
    while (row < end && (openMs[row] ?? 0) + lengthMs < closeMs) row += 1;
    deliveryRow[k] = row;
  }
  const aligned = signalOpenMs === openMs;
  const startMs = openMs[start] ?? 0;
  return {
    tick,
    start,
    end,
    lengthMs,
    openMs,
    volume,
    ...{ closes, openTicks, lowTicks, closeTicks, lows },
    dayRows: dayRowsOf(openMs.subarray(0, end), { start, lengthMs }),
    signalMs,
    signalOpenMs,
    signalClose: signal.columns.close,
    signalCloseTicks: signals.closeTicks,
    signals: signals.closeExtremes,
    deliveryRow,
    aligned,
    firstInside: lowerBound(signalOpenMs, startMs - signalMs + 1),
  };
}

/** After a longer gap the strategy restarts its averages. */
const LONGEST_HOLE = 999;

/** A candle belongs to the day in which it closes. One that closes at midnight belongs to the day that ends. */
function dayRowsOf(openMs: Float64Array, { start, lengthMs }: { start: number; lengthMs: number }): Int32Array {
  const startMs = openMs[start] ?? 0;
  const lastMs = (openMs.at(-1) ?? 0) + lengthMs;
  const rows: number[] = [];
  for (let endMs = startMs - (startMs % DAY_MS) + DAY_MS; ; endMs += DAY_MS) {
    rows.push(Math.max(start, lowerBound(openMs, endMs - lengthMs + 1) - 1));
    if (endMs >= lastMs) return Int32Array.from(rows);
  }
}
