import { INTERVAL_MS } from '#core/market/candle.ts';
import { lowerBound } from '#core/market/candle-columns.ts';
import { toNumber } from '#core/amount/decimal.ts';
import type { BookedFill } from './book.ts';
import type { KernelInput } from './run-state.ts';

/**
 * Mean exposure = mean over the closes of the detail candles of (value of the coin / equity), a share. All candles have one
 * length, so this is a mean over time. Cash and quantity follow from the fills, so the run itself measures nothing for it.
 * A quantity below one lot cannot be sold and counts as zero.
 */
export function meanExposure({ detail, rules, terms, start, end }: KernelInput, fills: readonly BookedFill[]): number {
  const { openMs, close } = detail.columns;
  const lengthMs = INTERVAL_MS[detail.interval];
  let [cash, quantity, from, total] = [toNumber(terms.balance), 0, start, 0];
  for (const each of fills) {
    // The first candle that closes after the fill.
    const row = Math.min(end, lowerBound(openMs, each.fill.at.getTime() - lengthMs + 1));
    if (quantity > 0) total = addShares(total, close, { cash, quantity, from, to: row });
    from = row;
    cash = toNumber(each.cash);
    quantity = each.position < rules.lot.step ? 0 : toNumber(each.position);
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
