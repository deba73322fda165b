import { toSteps } from '#core/amount/decimal.ts';
import { targetOf } from '#core/position/levels.ts';
import { isSellable } from '#core/position/position.ts';
import { minOrderQuote } from '#core/sizing/sizing.ts';
import type { TickView } from '#core/judge/view.ts';
import type { SharedSettings } from '#strategies/strategy.ts';
import type { Book } from './book.ts';
import { baseFeeRate } from './fills.ts';

/** The view of a run, filled like that of the live engine. The price is the current close, so its age is 0. */
export const openView = (fees: { readonly taker: number; readonly maker: number }, readable: boolean): TickView => ({
  nowMs: 0,
  price: 0,
  priceAgeMs: 0,
  lots: 0,
  peakLots: 0,
  avgTicks: 0,
  sellable: false,
  firstBuyFillMs: 0,
  cycle: 0,
  target: 0,
  entryOrderOpen: false,
  waiting: null,
  exitOrderOpen: false,
  regime: 2,
  ratingSells: false,
  basket: null,
  takerFee: fees.taker,
  makerFee: fees.maker,
  readable,
});

/** Updates the position fields of the view. Only fills change them. */
export function viewPosition(view: TickView, { position, levels, rules, terms }: Book, shared: SharedSettings): void {
  view.lots = Math.floor(toSteps(position.quantity, rules.lot.step));
  view.peakLots = Math.floor(toSteps(position.peakQuantity, rules.lot.step));
  view.avgTicks = toSteps(position.averagePrice, rules.price.tick);
  view.sellable = position.firstBuyAt !== null && isSellable(position.quantity, position.averagePrice, rules);
  view.firstBuyFillMs = position.firstBuyAt?.getTime() ?? 0;
  view.cycle = position.cycle;
  view.target = 0;
  if (position.firstBuyAt === null) return;
  const { averagePrice: price } = position;
  const { stopMultiple, stopLimitOffset } = shared;
  const least = minOrderQuote({ price, rules, stopMultiple, stopLimitOffset, baseFeeRate: baseFeeRate(terms) });
  view.target = targetOf(levels, least);
}

/** Updates the order fields of the view after an order was placed, cancelled or filled. */
export function viewOrders(view: TickView, { pending, entry }: Book): void {
  view.entryOrderOpen = pending?.side === 'buy' || entry !== null;
  view.exitOrderOpen = pending?.side === 'sell';
  view.waiting =
    entry === null
      ? null
      : {
          level: entry.entry?.level ?? 0,
          stop: entry.stopTicks,
          limit: entry.limitTicks,
          placedMs: entry.placedMs,
          touched: entry.triggered || entry.touched,
        };
}
