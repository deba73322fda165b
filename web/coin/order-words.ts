import { exitCause } from '#core/decision/exit-cause.ts';
import { isLiveOrder, ORDER_STATES } from '#core/order/order.ts';
import type { Order } from '#web/data/queries.ts';

type Mark = 'circ' | 'ring' | 'q' | 'x' | 'minus';
interface StateWords {
  readonly text: string;
  readonly mark: Mark;
  readonly care: boolean;
}

/** What the operator would call the order. */
export function orderName({ side, purpose }: Pick<Order, 'side' | 'purpose'>): string {
  if (purpose === 'stop') return 'Protective stop';
  if (purpose === 'manual') return side === 'buy' ? 'Buy by hand' : 'Sell by hand';
  return side === 'buy' ? 'Buy' : 'Sell';
}

/** Why a sale of the strategy or its stop was made; nothing for an order by hand, whose name says it. */
export const orderCause = ({ side, purpose, reason }: Pick<Order, 'side' | 'purpose' | 'reason'>): string | null =>
  side === 'sell' && purpose !== 'manual' ? exitCause(reason) : null;

const WORDS: Readonly<Record<string, StateWords>> = {
  intent: { text: 'On its way', mark: 'ring', care: false },
  open: { text: 'Rests on exchange', mark: 'ring', care: false },
  'partially-filled': { text: 'Partly filled', mark: 'ring', care: false },
  filled: { text: 'Filled', mark: 'circ', care: false },
  cancelled: { text: 'Cancelled', mark: 'minus', care: false },
  expired: { text: 'Expired', mark: 'minus', care: false },
  rejected: { text: 'Refused', mark: 'x', care: true },
  unknown: { text: 'No answer yet', mark: 'q', care: true },
  'never-arrived': { text: 'Never arrived', mark: 'x', care: true },
};

export const stateWords = (state: string): StateWords => WORDS[state] ?? { text: state, mark: 'minus', care: false };

/** True while the exchange may still hold or receive the order. */
export const isLive = (order: Pick<Order, 'state'>): boolean =>
  ORDER_STATES.some((state) => state === order.state && isLiveOrder(state));

/** Price that counts: what was paid, else what was asked. */
export const orderPrice = (order: Pick<Order, 'averageFillPrice' | 'price'>): string | null =>
  order.averageFillPrice ?? order.price;

/** `2 rest on the exchange, 1 unanswered` for a list of orders. */
export function orderSummary(orders: readonly Pick<Order, 'state'>[]): string {
  const unanswered = orders.filter((order) => order.state === 'unknown').length;
  const resting = orders.filter((order) => isLive(order) && order.state !== 'unknown').length;
  const filled = orders.filter((order) => order.state === 'filled').length;
  const parts = [
    ...(resting > 0 ? [`${resting} on the exchange`] : []),
    ...(unanswered > 0 ? [`${unanswered} unanswered`] : []),
    ...(filled > 0 ? [`${filled} filled`] : []),
  ];
  return parts.length === 0 ? 'none' : parts.join(', ');
}
