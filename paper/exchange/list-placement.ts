import type { Decimal } from '#core/amount/decimal.ts';
import { admitOrder, startRefusal, duplicateRefusal, planOf } from './admission.ts';
import type { TakerResult } from './execution.ts';
import { type MatchingEngine, report } from './matching-engine.ts';
import { ordersOfList, reportList } from './lists.ts';
import { isStop, type NewOrder, type Order } from './order.ts';
import { firstPhaseOf, type NewList, type OrderList, pairOf } from './order-list.ts';
import { addList, findList } from './orders.ts';
import { BAD_RELATIONSHIP, DUPLICATE_ORDER, type Refusal, rejected } from './refusal.ts';
import { EMPTY_PLAN } from './taker.ts';
import { startOrders, settleBook } from './working.ts';

interface ListAccepted {
  readonly kind: 'accepted';
  readonly list: OrderList;
  /** The orders right after all had been placed, before any consequences. */
  readonly orders: readonly Readonly<Order>[];
  /** The fills of the first-phase orders, in the same order. */
  readonly taken: readonly TakerResult[];
}

/** Checks a list and accepts it. The orders of its first phase start. A refusal changes nothing. */
export function placeList(engine: MatchingEngine, request: NewList, atMs: number): ListAccepted | Refusal {
  const first = firstPhaseOf(request.kind, request.orders);
  const plans = first.map((order) => planOf(engine, order));
  const refusal = listRefusal(engine, request) ?? startRefusal(engine, first, plans);
  if (refusal !== undefined) return refusal;
  const list = openList(engine, request, atMs);
  const orders = request.orders.map((order, at) =>
    admitOrder(engine, order, {
      plan: plans[at] ?? EMPTY_PLAN,
      listId: list.id,
      pending: !first.includes(order),
      atMs,
    }),
  );
  reportList(engine, list, { change: 'EXEC_STARTED', atMs });
  for (const order of orders.filter((candidate) => candidate.status === 'PENDING_NEW'))
    report(engine, order, { execution: 'NEW', atMs });
  const taken = startOrders(
    engine,
    first.map((_, at) => ({ order: requireOrder(orders[at]), plan: plans[at] ?? EMPTY_PLAN })),
    atMs,
  );
  const placed = ordersOfList(engine.orders, list).map((order) => ({ ...order }));
  const accepted = { kind: 'accepted', list: { ...list }, orders: placed, taken } as const;
  settleBook(engine, list.symbol, atMs);
  return accepted;
}

function openList(engine: MatchingEngine, { kind, clientListId, orders }: NewList, atMs: number): OrderList {
  const first = requireOrder(orders[0]);
  engine.orders.lastListId += 1;
  const list: OrderList = {
    ...{ id: engine.orders.lastListId, account: first.account, symbol: first.symbol, kind, clientListId },
    orderIds: orders.map((_, at) => engine.orders.lastId + 1 + at),
    done: false,
    createdMs: atMs,
  };
  addList(engine.orders, list);
  return list;
}

function listRefusal(engine: MatchingEngine, { kind, clientListId, orders }: NewList): Refusal | undefined {
  const { account, symbol } = requireOrder(orders[0]);
  const duplicate = findList(engine.orders, account, { clientListId });
  if (duplicate !== undefined && !duplicate.done) return rejected(DUPLICATE_ORDER);
  if (new Set(orders.map((order) => order.clientOrderId)).size < orders.length) return rejected(DUPLICATE_ORDER);
  for (const order of orders) {
    const refusal = duplicateRefusal(engine, order);
    if (refusal !== undefined) return refusal;
  }
  const last = kind === 'OCO' ? engine.market(symbol).lastPrice : undefined;
  return isOrdered(pairOf(kind, orders), last) ? undefined : rejected(BAD_RELATIONSHIP);
}

/** True if the upper order of a pair is above the lower one. In an OCO the last price must also be between them. */
function isOrdered(pair: readonly NewOrder[], last: Decimal | undefined): boolean {
  const [above, below] = pair.map(priceInPair);
  if (above !== undefined && last !== undefined && above <= last) return false;
  if (below !== undefined && last !== undefined && below >= last) return false;
  return above === undefined || below === undefined || above > below;
}

/** The price at which an order of a pair acts; undefined for a trailing stop without a stop price. */
function priceInPair(order: NewOrder): Decimal | undefined {
  if (!isStop(order.type)) return order.price;
  return order.stopPrice > 0n ? order.stopPrice : undefined;
}

function requireOrder<One>(order: One | undefined): One {
  if (order === undefined) throw new Error('an order list has at least two orders');
  return order;
}
