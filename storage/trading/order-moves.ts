import { ORDER_STATES, type OrderState } from '#core/order/order.ts';

/**
 * States that an order may enter from each state. Terminal states are final: a late or reordered message cannot reopen an
 * order. `never-arrived` is a conclusion, not an answer of the exchange: proof that the order exists overrides it. A
 * cancelled order with fills stays cancelled: its amounts hold the filled part.
 */
export const ORDER_MOVES: Readonly<Record<OrderState, readonly OrderState[]>> = {
  intent: ['open', 'partially-filled', 'filled', 'cancelled', 'expired', 'rejected', 'unknown', 'never-arrived'],
  unknown: ['open', 'partially-filled', 'filled', 'cancelled', 'expired', 'rejected', 'never-arrived'],
  open: ['partially-filled', 'filled', 'cancelled', 'expired', 'rejected'],
  'partially-filled': ['filled', 'cancelled', 'expired'],
  'never-arrived': ['open', 'partially-filled', 'filled', 'cancelled', 'expired'],
  filled: [],
  cancelled: [],
  expired: [],
  rejected: [],
};

/** The states from which `state` may be entered. */
export const statesBefore = (state: OrderState): OrderState[] =>
  ORDER_STATES.filter((before) => ORDER_MOVES[before].includes(state));
