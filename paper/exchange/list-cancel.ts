import type { MatchingEngine } from './matching-engine.ts';
import { ordersOfList } from './lists.ts';
import { type Cancel, cancelOrder } from './matching.ts';
import { isOpen, type Order } from './order.ts';
import type { OrderList } from './order-list.ts';

/** A canceled list, and the orders that were open, with the client ids they had. */
export interface CanceledList {
  readonly list: OrderList;
  readonly orders: readonly { readonly order: Order; readonly originalId: string }[];
  readonly atMs: number;
}

/** Cancels the open orders of a list. */
export function cancelList(engine: MatchingEngine, list: OrderList, cancel: Cancel): CanceledList {
  const open = ordersOfList(engine.orders, list).filter(isOpen);
  const orders = open.map((order) => ({ order, originalId: order.clientOrderId }));
  const [first] = open;
  if (first !== undefined) cancelOrder(engine, first, cancel);
  return { list, orders, atMs: cancel.atMs };
}
