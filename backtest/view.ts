import type { TickView } from '#core/judge/view.ts';
import type { Book } from './book.ts';

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
