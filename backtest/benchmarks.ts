import { INTERVAL_MS } from '#core/market/candle.ts';
import { lowerBound } from '#core/market/candle-columns.ts';
import type { Series } from './columns.ts';

const DAY_MS = 86_400_000;

/** Prices of the coin on one UTC day of the window, in quote. */
export interface CoinDay {
  readonly startMs: number;
  /** First open of the day; null on a day without candles. */
  readonly open: number | null;
  /** Last close at or before the end of the day. */
  readonly close: number;
}

export interface Charges {
  readonly feeRate: number;
  readonly slippage: number;
}

/** The UTC days that rows `start` to `end` touch. The first and last day are cut at the window. */
export function coinDays({ interval, columns }: Series, start: number, end: number): CoinDay[] {
  const { openMs, open, close } = columns;
  const firstMs = openMs[start] ?? 0;
  const endMs = (openMs[end - 1] ?? 0) + INTERVAL_MS[interval];
  const days: CoinDay[] = [];
  for (let startMs = firstMs - (firstMs % DAY_MS); startMs < endMs; startMs += DAY_MS) {
    const first = Math.max(start, lowerBound(openMs, startMs));
    const after = Math.min(end, Math.max(first, lowerBound(openMs, startMs + DAY_MS)));
    const last = Math.max(start, after - 1);
    days.push({ startMs, open: after > first ? (open[first] ?? null) : null, close: close[last] ?? 0 });
  }
  return days;
}

/**
 * Buy and hold = (1 - fee) * last close / (first open * (1 + slippage)) - 1. It spends the whole balance at the first open
 * of the window, without rounding to lots, and values it at the last close.
 */
export const buyAndHold = (days: readonly CoinDay[], charges: Charges): number =>
  boughtAt(days.slice(0, 1), days, charges);

/**
 * Cost averaging = mean over the days with candles of (1 - fee) * last close / (open of the day * (1 + slippage)) - 1.
 * It spends an equal part of the balance at the first open of each UTC day and values it at the last close.
 */
export const costAveraging = (days: readonly CoinDay[], charges: Charges): number => boughtAt(days, days, charges);

/**
 * Equal exposure = (1 - share * (1 - (1 - fee) / (1 + slippage))) * product of (1 + share * r) over the days - 1. r is the
 * coin's return between daily closes, on the first day from its open. The share of equity in the coin is rebalanced at
 * each daily close. Fee and slippage are paid once, at the start.
 */
export function equalExposure(days: readonly CoinDay[], share: number, { feeRate, slippage }: Charges): number {
  let worth = 1 - share * (1 - (1 - feeRate) / (1 + slippage));
  let before: number | null = null;
  for (const { open, close } of days) {
    worth *= 1 + share * (close / (before ?? open ?? close) - 1);
    before = close;
  }
  return worth - 1;
}

function boughtAt(bought: readonly CoinDay[], days: readonly CoinDay[], { feeRate, slippage }: Charges): number {
  const opens = bought.flatMap(({ open }) => (open === null ? [] : [open]));
  const lastClose = days.at(-1)?.close ?? 0;
  const worth = opens.reduce((sum, open) => sum + ((1 - feeRate) * lastClose) / (open * (1 + slippage)), 0);
  return opens.length === 0 ? 0 : worth / opens.length - 1;
}
