import { lowerBound } from '#core/market/candle-columns.ts';
import { type Extremes, SHIFT, WIDE_SHIFT } from '#core/market/extremes.ts';

const DAY_MS = 86_400_000;

/** The max drawdown: the deepest fall of the equity below an earlier peak. */
interface Drawdown {
  /** Share of the peak, 0.25 = 25 %. */
  depth: number;
  peakMs: number;
  troughMs: number;
  /** First close above the peak again; null while the drawdown lasts. */
  recoveredMs: number | null;
}

/** Equity of a run, measured at the close of every detail candle, in quote. */
export interface EquityMeter {
  peak: number;
  peakMs: number;
  /** Equity below which the current drawdown is the deepest so far. */
  floor: number;
  last: number;
  /** End of the UTC day that is being measured. */
  dayEndMs: number;
  readonly drawdown: Drawdown;
  /** Equity at the end of each UTC day; a day without candles keeps that of the day before. */
  readonly days: number[];
}

export const openMeter = (balance: number, startMs: number): EquityMeter => ({
  peak: balance,
  peakMs: startMs,
  floor: balance,
  last: balance,
  dayEndMs: startMs - (startMs % DAY_MS) + DAY_MS,
  drawdown: { depth: 0, peakMs: startMs, troughMs: startMs, recoveredMs: startMs },
  days: [],
});

/** Call when the equity is above the peak or below the floor. */
export function moveExtremes(meter: EquityMeter, equity: number, nowMs: number): void {
  const { drawdown } = meter;
  if (equity > meter.peak) {
    meter.peak = equity;
    meter.peakMs = nowMs;
    meter.floor = equity * (1 - drawdown.depth);
    drawdown.recoveredMs ??= nowMs;
    return;
  }
  const depth = 1 - equity / meter.peak;
  meter.floor = equity;
  if (depth <= drawdown.depth) return;
  drawdown.depth = depth;
  drawdown.peakMs = meter.peakMs;
  drawdown.troughMs = nowMs;
  drawdown.recoveredMs = null;
}

/** Closes every day that ended before `nowMs`, with the last measured equity. */
export function endDays(meter: EquityMeter, nowMs: number): void {
  while (nowMs > meter.dayEndMs) {
    meter.days.push(meter.last);
    meter.dayEndMs += DAY_MS;
  }
}

/** Candles without a fill: rows `from` to `to`, `to` exclusive. */
interface Held {
  readonly openMs: Float64Array;
  readonly lengthMs: number;
  readonly closes: Extremes;
  readonly cash: number;
  readonly quantity: number;
  readonly from: number;
  readonly to: number;
}

/** Same result as measuring each candle. Chunks that move no extreme are skipped. */
export function meterRows(meter: EquityMeter, held: Held): void {
  const { openMs, lengthMs, cash, quantity, closes, to } = held;
  for (let { from } = held; from < to; ) {
    const whole = (openMs[to - 1] ?? 0) + lengthMs <= meter.dayEndMs;
    const until = whole ? to : Math.min(to, lowerBound(openMs, meter.dayEndMs - lengthMs + 1));
    if (until > from) {
      meterSpan(meter, held, { from, to: until });
      meter.last = cash + quantity * (closes.values[until - 1] ?? 0);
    }
    if (until < to) endDays(meter, (openMs[until] ?? 0) + lengthMs);
    from = until;
  }
}

/** The bounds of a chunk hold for each part of it. */
function meterSpan(meter: EquityMeter, held: Held, { from, to }: Pick<Held, 'from' | 'to'>): void {
  const { openMs, lengthMs, closes, cash, quantity } = held;
  const { values, most, least, wideMost, wideLeast } = closes;
  for (let at = from; at < to; ) {
    const wide = at >> WIDE_SHIFT;
    const below = cash + quantity * (wideMost[wide] ?? 0) <= meter.peak;
    if (below && cash + quantity * (wideLeast[wide] ?? 0) >= meter.floor) {
      at = (wide + 1) << WIDE_SHIFT;
      continue;
    }
    const chunk = at >> SHIFT;
    const until = Math.min(to, (chunk + 1) << SHIFT);
    const rises = cash + quantity * (most[chunk] ?? 0) > meter.peak;
    if (!rises && cash + quantity * (least[chunk] ?? 0) >= meter.floor) at = until;
    for (; at < until; at++) {
      const equity = cash + quantity * (values[at] ?? 0);
      if (equity > meter.peak || equity < meter.floor) moveExtremes(meter, equity, (openMs[at] ?? 0) + lengthMs);
    }
  }
}
