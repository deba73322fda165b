import type { Decimal } from '#core/decimal.ts';
import type { NewOrder, Order } from './order.ts';
import { bookOf, type Orders } from './orders.ts';

const WHOLE_BIPS = 10_000n;

/** True for stops that wait for the price to rise: stop-loss buys and take-profit sells. */
export const waitsForRise = (order: Pick<NewOrder, 'side' | 'type'>): boolean =>
  order.type.startsWith('STOP_LOSS') === (order.side === 'BUY');

/** Whether a last price reaches the stop price. */
export const reachesStop = (order: Pick<NewOrder, 'side' | 'type' | 'stopPrice'>, lastPrice: Decimal): boolean =>
  waitsForRise(order) ? lastPrice >= order.stopPrice : lastPrice <= order.stopPrice;

/** Shows a trade to the waiting stops of its coin: trailing ones follow it, those it fires are queued in the book. */
export function showTrade(
  orders: Orders,
  trade: { readonly symbol: string; readonly price: Decimal; readonly atMs: number },
): void {
  const book = bookOf(orders, trade.symbol);
  for (const stop of book.stops) {
    const before = stop.extreme;
    if (isFiredBy(stop, trade)) book.fired.add(stop);
    if (stop.extreme !== before) orders.changed.add(stop);
  }
}

/**
 * A trailing stop tracks from its placement, or from the first trade that reaches its stop price when it has one; from
 * then on it fires when the price turns against it by its delta from the best price since.
 */
function isFiredBy(stop: Order, { price, atMs }: { readonly price: Decimal; readonly atMs: number }): boolean {
  if (stop.trailingDelta === 0) return reachesStop(stop, price);
  const isBuy = stop.side === 'BUY';
  if (stop.trailingMs < 0) {
    if (!reachesStop(stop, price)) return false;
    stop.trailingMs = atMs;
    stop.extreme = price;
  } else if (isBuy ? price < stop.extreme : price > stop.extreme) stop.extreme = price;
  const delta = BigInt(stop.trailingDelta);
  return isBuy
    ? price * WHOLE_BIPS >= stop.extreme * (WHOLE_BIPS + delta)
    : price * WHOLE_BIPS <= stop.extreme * (WHOLE_BIPS - delta);
}
