import { exitCause } from '#core/decision/exit-cause.ts';
import { isLiveOrder, ORDER_STATES } from '#core/order/order.ts';
import type { Order } from '#web/data/answers.ts';

type Mark = 'circ' | 'ring' | 'q' | 'x' | 'minus';
interface StateLabel {
  readonly text: string;
  readonly mark: Mark;
  readonly care: boolean;
}

/** Stops at or above the average price; every other stop is a stop loss. */
const RAISED: readonly string[] = ['exit-trail', 'exit-trailing-stop', 'exit-profit-trail', 'exit-break-even'];

/** `Stop loss`, `Trailing stop`, `Target`, `Manual buy`, `Sell`. */
export function orderName({ side, purpose, reason }: Pick<Order, 'side' | 'purpose' | 'reason'>): string {
  if (purpose === 'stop') return RAISED.includes(reason) ? 'Trailing stop' : 'Stop loss';
  if (purpose === 'target') return 'Target';
  if (purpose === 'manual') return side === 'buy' ? 'Manual buy' : 'Manual sell';
  return side === 'buy' ? 'Buy' : 'Sell';
}

/** The exit reason of a sale; `null` where the name of the order says it already. */
export function orderCause(order: Pick<Order, 'side' | 'purpose' | 'reason'>): string | null {
  if (order.side !== 'sell' || order.purpose === 'manual') return null;
  const cause = exitCause(order.reason);
  return cause === orderName(order).toLowerCase() ? null : cause;
}

const WORDS: Readonly<Record<string, StateLabel>> = {
  intent: { text: 'Sending', mark: 'ring', care: false },
  open: { text: 'Open', mark: 'ring', care: false },
  'partially-filled': { text: 'Partially filled', mark: 'ring', care: false },
  filled: { text: 'Filled', mark: 'circ', care: false },
  cancelled: { text: 'Cancelled', mark: 'minus', care: false },
  expired: { text: 'Expired', mark: 'minus', care: false },
  rejected: { text: 'Rejected', mark: 'x', care: true },
  unknown: { text: 'Unconfirmed', mark: 'q', care: true },
  'never-arrived': { text: 'Not received', mark: 'x', care: true },
};

export const stateLabel = (state: string): StateLabel => WORDS[state] ?? { text: state, mark: 'minus', care: false };

/** True while the exchange may still hold or receive the order. */
export const isLive = (order: Pick<Order, 'state'>): boolean =>
  ORDER_STATES.some((state) => state === order.state && isLiveOrder(state));

/** Average fill price, else the price of the order. */
export const orderPrice = (order: Pick<Order, 'averageFillPrice' | 'price'>): string | null =>
  order.averageFillPrice ?? order.price;

/** `2 open, 1 unconfirmed` for a list of orders. */
export function orderSummary(orders: readonly Pick<Order, 'state'>[]): string {
  const unconfirmed = orders.filter((order) => order.state === 'unknown').length;
  const open = orders.filter((order) => isLive(order) && order.state !== 'unknown').length;
  const filled = orders.filter((order) => order.state === 'filled').length;
  const parts = [
    ...(open > 0 ? [`${open} open`] : []),
    ...(unconfirmed > 0 ? [`${unconfirmed} unconfirmed`] : []),
    ...(filled > 0 ? [`${filled} filled`] : []),
  ];
  return parts.length === 0 ? 'none' : parts.join(', ');
}
