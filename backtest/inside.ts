import { INTERVAL_MS } from '#core/candle.ts';
import type { Reach } from '#strategies/strategy.ts';
import type { Run } from './kernel.ts';
import { guard, meetAt, meetStop, order } from './market.ts';

/* What a strategy that acts on ticks would do inside a candle, of which a backtest sees only the close. */

/** One object is reused for all candles. */
const reach: Reach = { below: 0, above: 0 };

/** True when the candle crossed a price at which the strategy acts and closed where it does not. */
export function crossesReach({ instance, view, grid, input, tick }: Run, row: number): boolean {
  instance.reach?.(view, reach);
  const close = grid.closeTicks[row] ?? 0;
  if ((grid.lowTicks[row] ?? 0) <= reach.below) return close > reach.below;
  return (input.detail.columns.high[row] ?? 0) >= (reach.above - 0.5) * tick && close < reach.above;
}

/**
 * Asks the strategy at the prices inside the candle at which it acts, first above, then below, and fills at once what it
 * orders there. A stop that a buy on the way down places meets the rest of the candle.
 */
export function actInside(run: Run, row: number): void {
  const { instance, view, grid, input, tick } = run;
  const { open, high } = input.detail.columns;
  const openTicks = Math.round((open[row] ?? 0) / tick);
  instance.reach?.(view, reach);
  if ((high[row] ?? 0) >= (reach.above - 0.5) * tick) askAt(run, row, Math.max(openTicks, reach.above));
  instance.reach?.(view, reach);
  if ((grid.lowTicks[row] ?? 0) > reach.below) return;
  const held = view.sellable;
  askAt(run, row, Math.min(openTicks, reach.below));
  if (!held && view.sellable) meetStop(run, row);
}

function askAt(run: Run, row: number, ticks: number): void {
  const { instance, view, book, input } = run;
  const { detail, bound } = input;
  if (book.pending !== null) return;
  const openMs = detail.columns.openMs[row] ?? 0;
  const filledMs = openMs + INTERVAL_MS[detail.interval] - 1;
  view.nowMs = filledMs;
  view.price = ticks;
  const decision = instance.decide(view);
  if (decision.kind !== 'nothing') order(run, decision);
  if (book.pending !== null) meetAt(run, { row, ticks, filledMs });
  if (bound.shared.protectiveStop !== undefined && (view.sellable || book.stop !== null)) guard(run, false);
}
