const DAY_MS = 86_400_000;

/** The deepest fall of the equity below a former peak. */
export interface Drawdown {
  /** Share of the peak, 0.25 = 25 %. */
  depth: number;
  peakMs: number;
  troughMs: number;
  /** First close above the peak again; null while it lasts. */
  recoveredMs: number | null;
}

/** Equity as a run goes along, measured at the close of every detail candle, in quote. */
export interface EquityMeter {
  peak: number;
  peakMs: number;
  /** Equity below which the present fall is the deepest so far. */
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

/** The equity has moved above the peak or below the floor. */
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

/** Ends every day that ended before `nowMs`, with the equity measured last. */
export function endDays(meter: EquityMeter, nowMs: number): void {
  while (nowMs > meter.dayEndMs) {
    meter.days.push(meter.last);
    meter.dayEndMs += DAY_MS;
  }
}
