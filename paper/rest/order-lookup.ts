import type { Account } from '#paper/exchange/accounts.ts';
import { isOpen, type Order } from '#paper/exchange/order.ts';
import { findByClientId } from '#paper/exchange/orders.ts';
import { type Params, readClientId, readInteger, readWord } from './params.ts';
import { bothMissing, type Refusal, RefusedError, refuse } from '#paper/exchange/refusal.ts';
import type { Venue } from '#paper/exchange/venue.ts';

/** An order by one of its ids, or by both, which must agree. */
export interface OrderSelector {
  readonly symbol: string;
  readonly orderId: number | undefined;
  readonly clientOrderId: string | undefined;
}

interface IdNames {
  readonly orderId: string;
  readonly clientOrderId: string;
}
const PLAIN_NAMES: IdNames = { orderId: 'orderId', clientOrderId: 'origClientOrderId' };

export function readSelector(params: Params, symbol: string, names = PLAIN_NAMES): OrderSelector {
  const orderId = readInteger(params, names.orderId);
  const clientOrderId = readClientId(params, names.clientOrderId);
  if (orderId === undefined && clientOrderId === undefined)
    throw new RefusedError(bothMissing(names.clientOrderId, names.orderId));
  return { symbol, orderId, clientOrderId };
}

export function findSelected(venue: Venue, account: Account, wanted: OrderSelector): Order | undefined | 'disagree' {
  const { orders } = venue.engine;
  if (wanted.orderId === undefined)
    return findByClientId(orders, { account: account.name, symbol: wanted.symbol }, wanted.clientOrderId ?? '');
  const order = orders.byId.get(wanted.orderId);
  if (order === undefined || order.account !== account.name || order.symbol !== wanted.symbol) return undefined;
  return wanted.clientOrderId === undefined || order.clientOrderId === wanted.clientOrderId ? order : 'disagree';
}

/** False while a test control hides a new order from queries. */
export const isQueryable = ({ clock, testControls }: Venue, order: Readonly<Order>): boolean =>
  testControls.orderLagMs === 0 || order.createdMs <= clock.nowMs() - testControls.orderLagMs;

/** The status that an order must have to be canceled. */
export type CancelRestriction = 'ONLY_NEW' | 'ONLY_PARTIALLY_FILLED' | undefined;

export const readRestriction = (params: Params): CancelRestriction =>
  readWord(params, 'cancelRestrictions', {
    words: ['ONLY_NEW', 'ONLY_PARTIALLY_FILLED'],
    code: -1145,
    message: 'Invalid cancelRestrictions',
  });

/** The order to cancel, or why it cannot be canceled. */
export function findCancelable(
  venue: Venue,
  account: Account,
  { wanted, restriction }: { readonly wanted: OrderSelector; readonly restriction: CancelRestriction },
): { readonly kind: 'found'; readonly order: Order } | Refusal {
  const found = findSelected(venue, account, wanted);
  if (found === 'disagree') return refuse(-2011, 'Cancel order is invalid. Check origClOrdId and orderId.');
  if (found === undefined || !isOpen(found)) return refuse(-2011, UNKNOWN_ORDER);
  const needed = restriction === 'ONLY_NEW' ? 'NEW' : 'PARTIALLY_FILLED';
  if (restriction !== undefined && found.status !== needed)
    return refuse(-2011, 'Order was not canceled due to cancel restrictions.');
  return { kind: 'found', order: found };
}

export const UNKNOWN_ORDER = 'Unknown order sent.';
