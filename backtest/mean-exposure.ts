import { INTERVAL_MS } from '#core/market/candle.ts';
import { toNumber } from '#core/amount/decimal.ts';
import type { FillColumns } from './fill-columns.ts';
import type { KernelInput } from './run-state.ts';

/**
 * Mean exposure = mean over the closes of the detail candles of (value of the coin / equity), a share. All candles have one
 * length, so this is a mean over time. Cash and quantity follow from the fills, so the run itself measures nothing for it.
 * A quantity below one lot cannot be sold and counts as zero.
 */
export function meanExposure({ detail, rules, terms, start, end }: KernelInput, fills: FillColumns): number {
  const { openMs, close } = detail.columns;
  const lengthMs = INTERVAL_MS[detail.interval];
  const step = toNumber(rules.lot.step);
  let [cash, quantity, from, total] = [toNumber(terms.balance), 0, start, 0];
  for (let i = 0; i < fills.count; i++) {
    // The first candle that closes after the fill.
    const closed = (fills.atMs[i] ?? 0) - lengthMs;
    let row = from;
    while (row < end && (openMs[row] ?? 0) <= closed) row += 1;
    if (quantity > 0) total = addShares(total, close, { cash, quantity, from, to: row });
    from = row;
    cash = fills.cash[i] ?? 0;
    const position = fills.position[i] ?? 0;
    quantity = position < step ? 0 : position;
  }
  if (quantity > 0) total = addShares(total, close, { cash, quantity, from, to: end });
  return end > start ? total / (end - start) : 0;
}

interface Held {
  readonly cash: number;
  readonly quantity: number;
  readonly from: number;
  readonly to: number;
}

/** Adds the shares at the closes of rows `from` to `to`, `to` exclusive. */
function addShares(before: number, close: Float64Array, { cash, quantity, from, to }: Held): number {
  let total = before;
  for (let row = from; row < to; row++) {
    const value = quantity * (close[row] ?? 0);
    total += value / (cash + value);
  }
  return total;
}
