import { INTERVAL_MS } from '#core/market/candle.ts';
import type { Reach } from '#strategies/strategy.ts';
import type { Run } from './run-state.ts';
import { updateStop, fillPendingAt, matchStop, placeDecision } from './market.ts';

/* Decisions of a strategy that acts on ticks inside a candle. A normal run sees only the close. See kernel.ts. */

/** One object is reused for all candles. */
const reach: Reach = { below: 0, above: 0 };

/**
 * Lets the strategy decide at the prices inside the candle at which it acts, first above, then below, and fills its orders
 * at once. A stop that a buy on the way down places is matched against the rest of the candle. True when the candle
 * closed where the strategy does not act, so that a run that decides at closes misses the decision.
 */
export function actInside(run: Run, row: number): boolean {
  const { instance, view, grid, input, tick } = run;
  const { open, high } = input.detail.columns;
  const openTicks = Math.round((open[row] ?? 0) / tick);
  const close = grid.closeTicks[row] ?? 0;
  instance.reach?.(view, reach);
  const { above } = reach;
  const rose = (high[row] ?? 0) >= (above - 0.5) * tick;
  if (rose) {
    decideAt(run, row, Math.max(openTicks, above));
    instance.reach?.(view, reach);
  }
  const { below } = reach;
  if ((grid.lowTicks[row] ?? 0) > below) return rose && close < above;
  const held = view.sellable;
  decideAt(run, row, Math.min(openTicks, below));
  if (!held && view.sellable) matchStop(run, row);
  return close > below;
}

function decideAt(run: Run, row: number, ticks: number): void {
  const { instance, view, book, input } = run;
  const { detail, bound } = input;
  if (book.pending !== null) return;
  const openMs = detail.columns.openMs[row] ?? 0;
  const filledMs = openMs + INTERVAL_MS[detail.interval] - 1;
  view.nowMs = filledMs;
  view.price = ticks;
  const decision = instance.decide(view);
  // The resting target makes that sale.
  if (decision.kind === 'sell' && decision.reason === book.target?.reason) return;
  if (decision.kind !== 'nothing') placeDecision(run, decision);
  if (book.pending !== null) fillPendingAt(run, { row, ticks, filledMs });
  if (bound.shared.protectiveStop !== undefined && (view.sellable || book.stop !== null)) updateStop(run, false);
}
