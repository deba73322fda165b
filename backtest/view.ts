import { toSteps } from '#core/decimal.ts';
import { targetOf } from '#core/levels.ts';
import { isSellable } from '#core/position.ts';
import { minOrderQuote } from '#core/sizing.ts';
import type { SharedSettings, TickView } from '#strategies/strategy.ts';
import type { Book } from './book.ts';

/**
 * The view of a run, filled as the live engine fills it. An order never rests from one decision to the next here, and
 * the last price is as old as the close it belongs to: not at all.
 */
export const openView = (fee: number, readable: boolean): TickView => ({
  nowMs: 0,
  price: 0,
  priceAgeMs: 0,
  lots: 0,
  avgTicks: 0,
  sellable: false,
  firstBuyFillMs: 0,
  cycle: 0,
  target: 0,
  entryOrderOpen: false,
  exitOrderOpen: false,
  takerFee: fee,
  makerFee: fee,
  readable,
});

/** Brings the view to a position; needed after fills only, as nothing else moves what it writes. */
export function viewPosition(view: TickView, { position, levels, rules }: Book, shared: SharedSettings): void {
  view.lots = Math.floor(toSteps(position.quantity, rules.lot.step));
  view.avgTicks = toSteps(position.averagePrice, rules.price.tick);
  view.sellable = position.firstBuyAt !== null && isSellable(position.quantity, position.averagePrice, rules);
  view.firstBuyFillMs = position.firstBuyAt?.getTime() ?? 0;
  view.cycle = position.cycle;
  view.target = 0;
  if (position.firstBuyAt === null) return;
  const price = position.averagePrice;
  view.target = targetOf(levels, minOrderQuote({ ...shared, price, rules, baseFeeRate: view.takerFee }));
}
