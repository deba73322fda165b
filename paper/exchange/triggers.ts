import { type Decimal, toSteps } from '#core/amount/decimal.ts';
import type { Book } from './book.ts';
import type { SymbolMarket } from '#paper/market/symbol-market.ts';
import type { NewOrder, Order } from './order.ts';
import { bookOf, type Orders } from './orders.ts';

const WHOLE_BIPS = 10_000n;

/** True for stops that wait for the price to rise: stop-loss buys and take-profit sells. */
export const waitsForRise = (order: Pick<NewOrder, 'side' | 'type'>): boolean =>
  order.type.startsWith('STOP_LOSS') === (order.side === 'BUY');

/** Whether a last price reaches the stop price. */
export const reachesStop = (order: Pick<NewOrder, 'side' | 'type' | 'stopPrice'>, lastPrice: Decimal): boolean =>
  waitsForRise(order) ? lastPrice >= order.stopPrice : lastPrice <= order.stopPrice;

/**
 * Checks the waiting stops of a coin against a trade. Trailing stops follow it. Triggered stops are queued in the book.
 */
export function checkStops(
  orders: Orders,
  trade: { readonly symbol: string; readonly price: Decimal; readonly atMs: number },
): void {
  const book = bookOf(orders, trade.symbol);
  for (const stop of book.stops) {
    const before = stop.extreme;
    if (isTriggeredBy(stop, trade)) book.fired.add(stop);
    if (stop.extreme !== before) orders.changed.add(stop);
  }
}

/**
 * A trailing stop tracks from its placement, or from the first trade that reaches its stop price. From then on it
 * tracks the best price. It triggers when the price turns against it by its delta.
 */
function isTriggeredBy(stop: Order, { price, atMs }: { readonly price: Decimal; readonly atMs: number }): boolean {
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

/** The first price, in ticks, that triggers a waiting stop while the price moves between two others, both excluded. */
export function nextTrigger(
  { stops }: Pick<Book, 'stops'>,
  { listing }: Pick<SymbolMarket, 'listing'>,
  { from, to }: { readonly from: number; readonly to: number },
): number | undefined {
  const rises = to > from;
  let next: number | undefined;
  for (const stop of stops) {
    const ticks = triggerOf(stop, rises, listing.rules.price.tick);
    if (ticks === undefined || (rises ? ticks <= from || ticks >= to : ticks >= from || ticks <= to)) continue;
    if (next === undefined || (rises ? ticks < next : ticks > next)) next = ticks;
  }
  return next;
}

/** Undefined for a stop that no price on this path triggers. */
function triggerOf(stop: Order, rises: boolean, tick: Decimal): number | undefined {
  if (stop.trailingDelta === 0) return waitsForRise(stop) === rises ? toSteps(stop.stopPrice, tick) : undefined;
  if (stop.trailingMs < 0 || (stop.side === 'BUY') !== rises) return undefined;
  const share = Number(rises ? WHOLE_BIPS + BigInt(stop.trailingDelta) : WHOLE_BIPS - BigInt(stop.trailingDelta));
  const ticks = (toSteps(stop.extreme, tick) * share) / Number(WHOLE_BIPS);
  return rises ? Math.ceil(ticks) : Math.floor(ticks);
}
