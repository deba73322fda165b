import { add, ZERO } from '#core/amount/decimal.ts';
import { expireOrder, type MatchingEngine } from './matching-engine.ts';
import { isOpen, type Order } from './order.ts';
import { firstPhaseOf, type ListReport, type OrderList, pairOf, secondPhaseOf } from './order-list.ts';
import type { Orders } from './orders.ts';
import { releaseUnneeded } from './settlement.ts';

/** The orders of a list. */
export const ordersOfList = (orders: Orders, list: Readonly<OrderList>): Order[] =>
  list.orderIds.flatMap((id) => orders.byId.get(id) ?? []);

/** Publishes a change of a list. */
export function reportList(
  engine: MatchingEngine,
  list: OrderList,
  event: { readonly change: ListReport['change']; readonly atMs: number },
): void {
  const orders = ordersOfList(engine.orders, list).map(({ id, clientOrderId }) => ({ id, clientOrderId }));
  engine.orders.changedLists.add(list);
  engine.onReport({ kind: 'list', ...event, list: { ...list }, orders });
}

/** The other order of a pair, while it is open. */
function siblingOf(engine: MatchingEngine, order: Order): Order | undefined {
  const list = engine.orders.lists.get(order.listId);
  if (list === undefined) return undefined;
  const pair = pairOf(list.kind, ordersOfList(engine.orders, list));
  return pair.includes(order) ? pair.find((candidate) => candidate !== order && isOpen(candidate)) : undefined;
}

/** Moves the lock of a pair, which exists once, from the other order to this one. */
export function claimLock(engine: MatchingEngine, order: Order): void {
  const sibling = order.listId < 0 ? undefined : siblingOf(engine, order);
  if (sibling === undefined || sibling.locked === ZERO) return;
  order.locked = add(order.locked, sibling.locked);
  sibling.locked = ZERO;
  engine.orders.changed.add(sibling);
}

/** Expires the other order of a pair when this one starts to work. */
export function expireSibling(engine: MatchingEngine, order: Order, atMs: number): void {
  const sibling = order.listId < 0 ? undefined : siblingOf(engine, order);
  if (sibling === undefined || sibling.status === 'PENDING_NEW') return;
  claimLock(engine, order);
  expireOrder(engine, sibling, { reason: 'OCO_TRIGGER', atMs });
  releaseUnneeded(order, engine.market(order.symbol).listing.rules, engine.balances);
}

/**
 * Applies the consequences of changed orders to their list. Returns the waiting orders to place now, because the first
 * order has filled.
 */
export function updateList(engine: MatchingEngine, list: OrderList, atMs: number): readonly Order[] {
  if (list.done) return [];
  const orders = ordersOfList(engine.orders, list);
  const waiting = secondPhaseOf(list.kind, orders).filter((order) => order.status === 'PENDING_NEW');
  const [first] = firstPhaseOf(list.kind, orders);
  if (waiting.length > 0 && first !== undefined && !isOpen(first)) {
    if (first.status === 'FILLED') return waiting;
    for (const order of waiting) expireOrder(engine, order, { reason: 'OTO_PHASE_ONE_EXPIRED', atMs });
  }
  const pair = pairOf(list.kind, orders);
  const touched =
    pair.find((candidate) => candidate.executed > 0n || candidate.prevented > 0n) ??
    pair.find((candidate) => !isOpen(candidate) && candidate.expiryReason !== 'OCO_TRIGGER');
  if (touched !== undefined) expireSibling(engine, touched, atMs);
  if (orders.some(isOpen)) return [];
  list.done = true;
  reportList(engine, list, { change: 'ALL_DONE', atMs });
  return [];
}
