import type { CanceledList } from '#paper/exchange/list-cancel.ts';
import { canceledOrder } from './order-json.ts';
import type { ListReport, OrderList } from '#paper/exchange/order-list.ts';

const members = (list: Readonly<OrderList>, orders: readonly { id: number; clientOrderId: string }[]) =>
  orders.map((order) => ({ symbol: list.symbol, orderId: order.id, clientOrderId: order.clientOrderId }));

/** An order list as in every answer. */
export const orderListJson = (
  list: Readonly<OrderList>,
  orders: readonly { id: number; clientOrderId: string }[],
  atMs = list.createdMs,
): Record<string, unknown> => ({
  orderListId: list.id,
  contingencyType: list.kind === 'OCO' ? 'OCO' : 'OTO',
  listStatusType: list.done ? 'ALL_DONE' : 'EXEC_STARTED',
  listOrderStatus: list.done ? 'ALL_DONE' : 'EXECUTING',
  listClientOrderId: list.clientListId,
  transactionTime: atMs,
  symbol: list.symbol,
  orders: members(list, orders),
});

/** The answer to the cancel of a list. Its orders show the ids that they had. */
export const canceledListJson = ({ list, orders, atMs }: CanceledList): Record<string, unknown> => ({
  ...orderListJson(
    list,
    orders.map(({ order, originalId }) => ({ id: order.id, clientOrderId: originalId })),
    atMs,
  ),
  orderReports: orders.map(({ order, originalId }) => canceledOrder(order, originalId)),
});

/** The listStatus event of the user stream. */
export const listStatus = ({ list, change, orders, atMs }: ListReport): Record<string, unknown> => ({
  e: 'listStatus',
  E: atMs,
  s: list.symbol,
  g: list.id,
  c: list.kind === 'OCO' ? 'OCO' : 'OTO',
  l: change,
  L: list.done ? 'ALL_DONE' : 'EXECUTING',
  r: 'NONE',
  C: list.clientListId,
  T: atMs,
  O: orders.map((order) => ({ s: list.symbol, i: order.id, c: order.clientOrderId })),
});
