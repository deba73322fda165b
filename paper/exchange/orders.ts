import { type Book, openBook } from './book.ts';
import type { OrderList } from './order-list.ts';
import { type Fill, isOpen, type Order, type PreventedMatch } from './order.ts';

/** All orders and fills, with their indexes. Change them only through the functions below. */
export interface Orders {
  readonly byId: Map<number, Order>;
  /** By account, coin and client id. The newest order of an id wins. */
  readonly byClientId: Map<string, Order>;
  readonly byOwner: Map<string, Order[]>;
  readonly fillsByOwner: Map<string, Fill[]>;
  readonly open: Map<number, Order>;
  /** By account, oldest first. */
  readonly openByAccount: Map<string, Set<Order>>;
  readonly preventedByOwner: Map<string, PreventedMatch[]>;
  readonly books: Map<string, Book>;
  readonly changed: Set<Order>;
  readonly lists: Map<number, OrderList>;
  readonly listsByAccount: Map<string, OrderList[]>;
  readonly changedLists: Set<OrderList>;
  /** Lists with changed orders whose consequences are not applied yet. */
  readonly touchedLists: Set<OrderList>;
  lastListId: number;
  newFills: Fill[];
  newPrevented: PreventedMatch[];
  lastPreventedId: number;
  lastId: number;
  lastExecutionId: number;
}

/** The stored part of the state. */
export interface OrdersState {
  readonly lastId: number;
  readonly lastExecutionId: number;
  readonly orders: readonly Order[];
  readonly fills: readonly Fill[];
  readonly prevented: readonly PreventedMatch[];
  readonly lists: readonly OrderList[];
}

export const emptyOrders = (): Orders => ({
  byId: new Map(),
  byClientId: new Map(),
  byOwner: new Map(),
  fillsByOwner: new Map(),
  open: new Map(),
  openByAccount: new Map(),
  preventedByOwner: new Map(),
  books: new Map(),
  changed: new Set(),
  lists: new Map(),
  listsByAccount: new Map(),
  changedLists: new Set(),
  touchedLists: new Set(),
  lastListId: -1,
  newFills: [],
  newPrevented: [],
  lastPreventedId: -1,
  lastId: 0,
  lastExecutionId: 0,
});

const ownerKey = (owner: { readonly account: string; readonly symbol: string }): string =>
  `${owner.account}|${owner.symbol}`;
const clientKey = (owner: { readonly account: string; readonly symbol: string }, clientOrderId: string): string =>
  `${ownerKey(owner)}|${clientOrderId}`;

export function bookOf(orders: Orders, symbol: string): Book {
  const known = orders.books.get(symbol);
  if (known !== undefined) return known;
  const book = openBook();
  orders.books.set(symbol, book);
  return book;
}

/** Adds a new order to the indexes. It is not in the book yet. */
export function addOrder(orders: Orders, order: Order): void {
  index(orders, order);
  orders.changed.add(order);
}

function index(orders: Orders, order: Order): void {
  orders.byId.set(order.id, order);
  orders.byClientId.set(clientKey(order, order.clientOrderId), order);
  append(orders.byOwner, ownerKey(order), order);
  orders.lastId = Math.max(orders.lastId, order.id);
  if (!isOpen(order)) return;
  orders.open.set(order.id, order);
  const own = orders.openByAccount.get(order.account) ?? new Set();
  orders.openByAccount.set(order.account, own.add(order));
}

/** Puts an order into the book, where it rests or waits for its stop price. */
export const restOrder = (orders: Orders, order: Order): void => bookOf(orders, order.symbol).add(order);

/** Must be called after every change of an order. A closed order leaves the book. The journal stores the change. */
export function noteChange(orders: Orders, order: Order): void {
  orders.changed.add(order);
  const list = order.listId < 0 ? undefined : orders.lists.get(order.listId);
  if (list !== undefined && !list.done) orders.touchedLists.add(list);
  if (isOpen(order)) return;
  orders.open.delete(order.id);
  orders.openByAccount.get(order.account)?.delete(order);
  bookOf(orders, order.symbol).remove(order);
}

/** Gives an order another client id, which frees the old one. */
export function renameOrder(orders: Orders, order: Order, clientOrderId: string): void {
  const key = clientKey(order, order.clientOrderId);
  if (orders.byClientId.get(key) === order) orders.byClientId.delete(key);
  order.clientOrderId = clientOrderId;
  orders.byClientId.set(clientKey(order, clientOrderId), order);
}

export function addFill(orders: Orders, fill: Fill): void {
  indexFill(orders, fill);
  orders.newFills.push(fill);
}

const indexFill = (orders: Orders, fill: Fill): void => append(orders.fillsByOwner, ownerKey(fill), fill);

export function addPrevented(orders: Orders, match: PreventedMatch): void {
  indexPrevented(orders, match);
  orders.newPrevented.push(match);
}

function indexPrevented(orders: Orders, match: PreventedMatch): void {
  append(orders.preventedByOwner, ownerKey(match), match);
  orders.lastPreventedId = Math.max(orders.lastPreventedId, match.id);
}

export const findByClientId = (
  orders: Orders,
  owner: { readonly account: string; readonly symbol: string },
  clientOrderId: string,
): Order | undefined => orders.byClientId.get(clientKey(owner, clientOrderId));

export function addList(orders: Orders, list: OrderList): void {
  indexList(orders, list);
  orders.changedLists.add(list);
}

function indexList(orders: Orders, list: OrderList): void {
  orders.lists.set(list.id, list);
  append(orders.listsByAccount, list.account, list);
  orders.lastListId = Math.max(orders.lastListId, list.id);
}

/** Oldest first. */
export const listsOf = (orders: Orders, account: string): readonly OrderList[] =>
  orders.listsByAccount.get(account) ?? [];

/** The newest list of a client id, or the list of an id; undefined if the account has none. */
export const findList = (
  orders: Orders,
  account: string,
  wanted: { readonly listId?: number | undefined; readonly clientListId?: string | undefined },
): OrderList | undefined =>
  listsOf(orders, account).findLast(
    (list) =>
      list.id === (wanted.listId ?? list.id) && list.clientListId === (wanted.clientListId ?? list.clientListId),
  );

/** Oldest first. */
export const openOrdersOf = (orders: Orders, account: string, symbol?: string): Order[] =>
  [...(orders.openByAccount.get(account) ?? [])].filter((order) => (symbol ?? order.symbol) === order.symbol);

export const ordersOf = (orders: Orders, account: string, symbol: string): readonly Order[] =>
  orders.byOwner.get(ownerKey({ account, symbol })) ?? [];

export const fillsOf = (orders: Orders, account: string, symbol: string): readonly Fill[] =>
  orders.fillsByOwner.get(ownerKey({ account, symbol })) ?? [];

export const preventedOf = (orders: Orders, account: string, symbol: string): readonly PreventedMatch[] =>
  orders.preventedByOwner.get(ownerKey({ account, symbol })) ?? [];

/** Coins with an open order. */
export const symbolsWithOrders = (orders: Orders): Set<string> =>
  new Set([...orders.open.values()].map((order) => order.symbol));

export const wholeState = (orders: Orders): OrdersState => ({
  lastId: orders.lastId,
  lastExecutionId: orders.lastExecutionId,
  orders: [...orders.byId.values()],
  fills: [...orders.fillsByOwner.values()].flat(),
  prevented: [...orders.preventedByOwner.values()].flat(),
  lists: [...orders.lists.values()],
});

/** Removes all orders; ids restart. Books stay as empty objects, because streams hold references to them. */
export function clearOrders(orders: Orders): void {
  for (const order of orders.open.values()) bookOf(orders, order.symbol).remove(order);
  Object.assign(orders, emptyOrders(), { books: orders.books });
}

/** Returns the changes since the last call. */
export function drainChanges(orders: Orders): OrdersState {
  const { lastId, lastExecutionId } = orders;
  const { newFills: fills, newPrevented: prevented } = orders;
  const taken = {
    lastId,
    lastExecutionId,
    orders: [...orders.changed],
    fills,
    prevented,
    lists: [...orders.changedLists],
  };
  orders.changedLists.clear();
  orders.changed.clear();
  orders.newFills = [];
  orders.newPrevented = [];
  return taken;
}

export function restoreOrders(orders: Orders, saved: OrdersState): void {
  for (const list of saved.lists.toSorted((a, b) => a.id - b.id)) indexList(orders, list);
  for (const order of saved.orders.toSorted((a, b) => a.id - b.id)) {
    index(orders, order);
    if (isOpen(order) && order.status !== 'PENDING_NEW') restOrder(orders, order);
  }
  for (const match of saved.prevented) indexPrevented(orders, match);
  for (const fill of saved.fills) indexFill(orders, fill);
  orders.lastId = Math.max(orders.lastId, saved.lastId);
  orders.lastExecutionId = Math.max(orders.lastExecutionId, saved.lastExecutionId);
}

function append<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
