import { type Decimal, divide, minimum, multiply, subtract, ZERO } from '#core/decimal.ts';
import { ceil8 } from './commission.ts';
import { MAX_NUM_ORDER_AMENDS } from './filters.ts';
import { expireOrder, type Floor, report } from './floor.ts';
import { reportList, siblingOf } from './lists.ts';
import { statusOf } from './market/symbol-market.ts';
import { FEATURES } from './market/terms.ts';
import { isOpen, type Order, remainingOf, shownOf } from './order.ts';
import { isPaying } from './order-list.ts';
import { findByClientId, noteChange, renameOrder } from './orders.ts';
import { isUnpriced } from './peg.ts';
import { DUPLICATE_ORDER, MARKET_CLOSED, type Refusal, refuse } from './refusal.ts';
import { paidAsset, releaseUnneeded } from './settlement.ts';
import { settleBook } from './working.ts';

export interface Amend {
  readonly quantity: Decimal;
  readonly clientOrderId: string;
  readonly atMs: number;
}

const refuseAmend = (message: string): Refusal => refuse(-2038, message);

/** Why an open order may not be given another quantity. */
export function amendRefusal(floor: Floor, order: Order, { quantity, clientOrderId }: Amend): Refusal | undefined {
  const status = statusOf(floor.market(order.symbol));
  if (status !== 'TRADING' && status !== 'CANCEL_ONLY') return refuseAmend(MARKET_CLOSED);
  if (floor.market(order.symbol).terms.lacks.includes('amendAllowed')) return refuseAmend(FEATURES.amendAllowed);
  if (order.amendments.length >= MAX_NUM_ORDER_AMENDS) return refuseAmend('Filter failure: MAX_NUM_ORDER_AMENDS');
  const isPaid = order.status === 'PENDING_NEW' && isPaying(floor.orders.lists.get(order.listId)?.kind ?? 'OTO');
  if (isPaid) return refuseAmend('Order amend (pending OPO order) is not supported.');
  if (quantity > order.quantity) return refuseAmend('Order amend (quantity increase) is not supported.');
  if (quantity === order.quantity) return refuseAmend('The requested action would change no state; rejecting');
  const namesake = findByClientId(floor.orders, order, clientOrderId);
  if (namesake !== undefined && namesake !== order && isOpen(namesake)) return refuseAmend(DUPLICATE_ORDER);
  return floor.filter({ ...order, quantity });
}

/** Lowers the quantity of an open order, and of the other one of its pair; both keep their places in the book. */
export function amendOrder(floor: Floor, order: Order, amend: Amend): void {
  const sibling = siblingOf(floor, order);
  const list = floor.orders.lists.get(order.listId);
  const isRenamed = amend.clientOrderId !== order.clientOrderId;
  lower(floor, order, amend);
  if (sibling !== undefined) lower(floor, sibling, { ...amend, clientOrderId: sibling.clientOrderId });
  if (list !== undefined && isRenamed) reportList(floor, list, { change: 'UPDATED', atMs: amend.atMs });
  settleBook(floor, order.symbol, amend.atMs);
}

/** With nothing left an order expires. */
function lower(floor: Floor, order: Order, amend: Amend): void {
  const originalClientId = order.clientOrderId;
  const originalQuantity = order.quantity;
  const before = remainingOf(order);
  if (amend.clientOrderId !== originalClientId) renameOrder(floor.orders, order, amend.clientOrderId);
  order.quantity = amend.quantity;
  order.updatedMs = amend.atMs;
  const after = remainingOf(order) > 0n ? remainingOf(order) : ZERO;
  order.shown = minimum(shownOf(order), after);
  releaseShare(floor, order, { before, after });
  noteChange(floor.orders, order);
  report(floor, order, { execution: 'REPLACED', atMs: amend.atMs, originalClientId });
  const { clientOrderId, quantity, atMs } = amend;
  const executionId = floor.orders.lastExecutionId;
  order.amendments = [
    ...order.amendments,
    { executionId, originalClientId, clientOrderId, originalQuantity, quantity, atMs },
  ];
  if (after === ZERO) expireOrder(floor, order, { reason: 'NONE', atMs });
}

/** Unlocks what the lower quantity does not need; a buy at any price gives back its share. */
function releaseShare(floor: Floor, order: Order, rest: { readonly before: Decimal; readonly after: Decimal }): void {
  const { rules } = floor.market(order.symbol).listing;
  if (isUnpriced(order) && order.locked > 0n) {
    const needed = minimum(order.locked, ceil8(divide(multiply(order.locked, rest.after), rest.before)));
    floor.purses.unlock(order.account, paidAsset(order.side, rules), subtract(order.locked, needed));
    order.locked = needed;
  } else if (rest.after > 0n) releaseUnneeded(order, rules, floor.purses);
}
