import { toNumber } from '#core/amount/decimal.ts';
import type { Drawings, Grid, PlanLine } from '#strategies/strategy.ts';
import type { TickView } from '#core/judge/view.ts';

export const drawings: Drawings = { lines: [], levels: { target: 'Target share' } };

/** The average price, and the price at which the held quantity is worth its share of the last plan. */
export function planOf({ tick, step }: Grid, { lots, avgTicks, basket }: TickView): PlanLine[] {
  if (lots === 0) return [];
  const share = basket?.share ?? 0;
  const target = share / (lots * toNumber(step)) / toNumber(tick);
  const lines: PlanLine[] = [
    { name: 'cost', ticks: avgTicks },
    { name: 'target', ticks: target },
  ];
  return lines.filter(({ ticks }) => ticks > 0);
}
