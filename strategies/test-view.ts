import type { Candle } from '#core/market/candle.ts';
import { requireDecimal } from '#core/amount/decimal.ts';
import { openView, type TickView } from '#core/judge/view.ts';

export const HOUR_MS = 3_600_000;
export const GRID = { tick: requireDecimal('0.01'), step: requireDecimal('0.001') };

/** A coin without a position at 100.00. */
export const flatView = (change: Partial<TickView> = {}): TickView => ({ ...openView(), price: 10_000, ...change });

/** One unit bought at 100.00. */
export const heldView = (change: Partial<TickView> = {}): TickView =>
  flatView({ lots: 1000, peakLots: 1000, avgTicks: 10_000, sellable: true, cycle: 1, target: 1, ...change });

/** The closed hourly candle number `i`, which closes at `close` and never went below `low`. */
export const hourCandle = (i: number, close: number, low = close): Candle => {
  const times = { openMs: i * HOUR_MS, closeMs: (i + 1) * HOUR_MS };
  return { ...times, open: close, high: close, low, close, volume: 1, closed: true };
};
