import { ORDER_STATES, type OrderState } from '#core/order/order.ts';

/**
 * Which states an order may enter from each state. Terminal states are never left, so that a late or reordered message
 * cannot revive an order; `never-arrived` is a conclusion, not an answer of the exchange, and gives way to the proof
 * that the order exists. A cancelled order with fills stays cancelled: its amounts say what was filled.
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
