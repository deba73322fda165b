import { isStop, type NewOrder } from './order.ts';
import { type Refusal, rejected } from './refusal.ts';

/** Open orders of an account, counted by filter. */
export interface OrderCounts {
  readonly orders: number;
  readonly stops: number;
  readonly icebergs: number;
  readonly lists: number;
}

/** The maximum that an account may have open in one coin. */
export const SYMBOL_COUNTS: OrderCounts = { orders: 200, stops: 5, icebergs: 100, lists: 20 };
/** The maximum that an account may have open in all coins. */
export const EXCHANGE_COUNTS: OrderCounts = { orders: 1000, stops: 200, icebergs: 10_000, lists: 20 };

const NAMES = {
  orders: 'MAX_NUM_ORDERS',
  stops: 'MAX_NUM_ALGO_ORDERS',
  icebergs: 'MAX_NUM_ICEBERG_ORDERS',
  lists: 'MAX_NUM_ORDER_LISTS',
} as const;
const KINDS = ['orders', 'stops', 'icebergs', 'lists'] as const;

type Counted = Pick<NewOrder, 'type' | 'icebergQuantity'> & { readonly listId?: number };

/** Counts orders. The orders of one list count as one list. */
export const countOrders = (orders: readonly Counted[]): OrderCounts => ({
  orders: orders.length,
  stops: orders.filter((order) => isStop(order.type)).length,
  icebergs: orders.filter((order) => order.icebergQuantity > 0n).length,
  lists: new Set(orders.flatMap(({ listId = -1 }) => (listId < 0 ? [] : [listId]))).size,
});

/**
 * The first count that `added` would exceed. The matching engine refuses it, not the gateway, so it has its own error
 * code.
 */
export function checkCounts(
  open: { readonly symbol: OrderCounts; readonly exchange: OrderCounts },
  added: OrderCounts,
): Refusal | undefined {
  for (const kind of KINDS) {
    if (added[kind] === 0) continue;
    if (open.symbol[kind] + added[kind] > SYMBOL_COUNTS[kind]) return rejected(`Filter failure: ${NAMES[kind]}`);
    if (open.exchange[kind] + added[kind] > EXCHANGE_COUNTS[kind])
      return rejected(`Filter failure: EXCHANGE_${NAMES[kind]}`);
  }
  return undefined;
}
