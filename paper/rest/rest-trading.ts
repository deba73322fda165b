import { ZERO } from '#core/amount/decimal.ts';
import type { Account } from '#paper/exchange/accounts.ts';
import { type Cancel, cancelOrder, placeOrder } from '#paper/exchange/matching.ts';
import { statusOf } from '#paper/market/symbol-market.ts';
import type { Feature } from '#paper/market/terms.ts';
import { cancelList } from '#paper/exchange/list-cancel.ts';
import { canceledListJson } from './list-json.ts';
import { isOpen, type NewOrder, type Order } from '#paper/exchange/order.ts';
import {
  findCancelable,
  findSelected,
  isQueryable,
  readRestriction,
  readSelector,
  UNKNOWN_ORDER,
} from './order-lookup.ts';
import { canceledOrder, placedOrder, preventedMatch, queriedOrder } from './order-json.ts';
import { type OrderRequest, parseOrderRequest, randomClientId } from './order-request.ts';
import { countRefusal } from '#paper/exchange/order-filters.ts';
import { openOrdersOf, ordersOf, preventedOf } from '#paper/exchange/orders.ts';
import {
  finishParams,
  type Params,
  readClientId,
  readInteger,
  readLimit,
  readSymbol,
  requireSymbol,
} from './params.ts';
import { readRange, rowsIn } from './range.ts';
import { bothMissing, deny, MARKET_CLOSED, RefusedError, rejected, unknownSymbol } from '#paper/exchange/refusal.ts';
import { accountQuery, type SignedRoute } from './routes.ts';
import { featureRefusal, termsRefusal } from '#paper/exchange/terms-check.ts';
import { catchUp, commit, activate, marketNow, type Venue } from '#paper/exchange/venue.ts';

const ARCHIVED_AFTER_MS = 90 * 86_400_000;
const ARCHIVED = 'Order was canceled or expired with no executed qty over 90 days ago and has been archived.';

/** Orders: place, cancel, query, list. */
export const tradingRoutes = (venue: Venue): SignedRoute[] => [
  {
    ...{ method: 'POST', path: '/api/v3/order', wsMethod: 'order.place', weight: 1, security: 'trade' },
    freeWhenDone: true,
    placesOrder: true,
    handle: (params, account) => place(venue, parseOrderRequest(params, account.name)),
  },
  {
    ...{ method: 'DELETE', path: '/api/v3/order', wsMethod: 'order.cancel', weight: 1, security: 'trade' },
    freeWhenDone: true,
    handle: (params, account) => cancel(venue, params, account).order,
    wsHandle: (params, account) => {
      const { list, order } = cancel(venue, params, account);
      return list ?? order;
    },
  },
  {
    ...{ method: 'DELETE', path: '/api/v3/openOrders', wsMethod: 'openOrders.cancelAll', weight: 1, security: 'trade' },
    freeWhenDone: true,
    handle: (params, account) => cancelAll(venue, params, account),
  },
  accountQuery(venue, ['order', 'order.status', 4], query),
  accountQuery(
    venue,
    ['openOrders', 'openOrders.status', (params) => (params.values.has('symbol') ? 6 : 80)],
    listOpen,
  ),
  accountQuery(venue, ['allOrders', 'allOrders', 20], listAll),
  accountQuery(
    venue,
    ['myPreventedMatches', 'myPreventedMatches', (params) => (params.values.has('preventedMatchId') ? 2 : 20)],
    listPrevented,
  ),
];

/** Places an order from parsed parameters. */
function place(venue: Venue, { order, responseType }: OrderRequest): unknown {
  requireFilters(venue, [order]);
  activate(venue, order.symbol);
  const atMs = catchUp(venue);
  const result = placeOrder(venue.engine, order, atMs);
  if (result.kind === 'refused') throw new RefusedError(result);
  commit(venue, atMs);
  return placedOrder(result, responseType);
}

/** Refuses orders that break a filter now, including counts of open orders. `isList` counts a list as well. */
export function requireFilters(venue: Venue, added: readonly NewOrder[], isList = false): void {
  const { engine } = venue;
  catchUp(venue);
  for (const order of added) {
    const market = marketNow(venue, order.symbol);
    if (market === undefined) throw new RefusedError(unknownSymbol());
    const unfit = statusOf(market) === 'TRADING' ? undefined : rejected(MARKET_CLOSED);
    const refusal = unfit ?? termsRefusal(market, engine.account(order.account), order) ?? engine.filter(order);
    if (refusal !== undefined) throw new RefusedError(refusal);
  }
  const tooMany = countRefusal(engine.orders, added, isList);
  if (tooMany !== undefined) throw new RefusedError(tooMany);
}

interface CancelAnswer {
  readonly order: unknown;
  /** The answer that describes the whole list; undefined for an order outside of any list. */
  readonly list: unknown;
}

/** REST answers with the order, the WebSocket API with the list that it cancels, as the documentation describes. */
function cancel(venue: Venue, params: Params, account: Account): CancelAnswer {
  const wanted = readSelector(params, requireListed(venue, requireSymbol(params)));
  const cancelId = readClientId(params, 'newClientOrderId') ?? randomClientId();
  const restriction = readRestriction(params);
  finishParams(params);
  const atMs = catchUp(venue);
  const found = findCancelable(venue, account, { wanted, restriction });
  if (found.kind === 'refused') throw new RefusedError(found);
  const { order } = found;
  const originalId = order.clientOrderId;
  const list = cancelWhole(venue, order, { id: cancelId, atMs });
  commit(venue, atMs);
  return { order: canceledOrder(order, originalId), list };
}

function cancelAll(venue: Venue, params: Params, account: Account): unknown {
  const symbol = requireListed(venue, requireSymbol(params));
  finishParams(params);
  const atMs = catchUp(venue);
  const open = openOrdersOf(venue.engine.orders, account.name, symbol);
  if (open.length === 0) deny(-2011, UNKNOWN_ORDER);
  const answers = open.flatMap((order) => {
    const originalId = order.clientOrderId;
    if (!isOpen(order)) return [];
    return [cancelWhole(venue, order, { id: randomClientId(), atMs }) ?? canceledOrder(order, originalId)];
  });
  commit(venue, atMs);
  return answers;
}

/** Cancels an order, or the list that it belongs to. Returns the answer for the list; undefined for a single order. */
function cancelWhole(venue: Venue, order: Order, cancellation: Cancel): Record<string, unknown> | undefined {
  const list = venue.engine.orders.lists.get(order.listId);
  if (list !== undefined) return canceledListJson(cancelList(venue.engine, list, cancellation));
  cancelOrder(venue.engine, order, cancellation);
  return undefined;
}

function query(venue: Venue, params: Params, account: Account): unknown {
  const wanted = readSelector(params, requireListed(venue, requireSymbol(params)));
  finishParams(params);
  catchUp(venue);
  const found = findSelected(venue, account, wanted);
  if (found === 'disagree') return deny(-2039, 'Client order ID is not correct for this order ID.');
  if (found === undefined || !isQueryable(venue, found)) return deny(-2013, 'Order does not exist.');
  const isIdle = !isOpen(found) && found.executed === ZERO;
  if (isIdle && found.updatedMs < venue.clock.nowMs() - ARCHIVED_AFTER_MS) return deny(-2026, ARCHIVED);
  return queriedOrder(found);
}

function listOpen(venue: Venue, params: Params, account: Account): unknown {
  const symbol = readSymbol(params);
  finishParams(params);
  if (symbol !== undefined) requireListed(venue, symbol);
  catchUp(venue);
  return openOrdersOf(venue.engine.orders, account.name, symbol)
    .filter((order) => isQueryable(venue, order))
    .map(queriedOrder);
}

function listAll(venue: Venue, params: Params, account: Account): unknown {
  const symbol = requireListed(venue, requireSymbol(params));
  const range = readRange(params, 'orderId');
  finishParams(params);
  catchUp(venue);
  const own = ordersOf(venue.engine.orders, account.name, symbol).filter((order) => isQueryable(venue, order));
  return rowsIn(range, own, { id: (order) => order.id, atMs: (order) => order.createdMs }).map(queriedOrder);
}

function listPrevented(venue: Venue, params: Params, account: Account): unknown {
  const symbol = requireListed(venue, requireSymbol(params));
  const id = readInteger(params, 'preventedMatchId');
  const orderId = readInteger(params, 'orderId');
  const fromId = readInteger(params, 'fromPreventedMatchId') ?? 0;
  const limit = readLimit(params, 500, 1000);
  finishParams(params);
  if (id === undefined && orderId === undefined) throw new RefusedError(bothMissing('preventedMatchId', 'orderId'));
  catchUp(venue);
  return preventedOf(venue.engine.orders, account.name, symbol)
    .filter((match) => match.id >= fromId && match.id === (id ?? match.id))
    .filter((match) => orderId === undefined || [match.takerOrderId, match.makerOrderId].includes(orderId))
    .slice(0, limit)
    .map(preventedMatch);
}

/** The symbol, if it is listed and has the required feature. */
export function requireListed(venue: Venue, symbol: string, features: readonly Feature[] = []): string {
  const market = venue.markets.get(symbol);
  if (market === undefined) throw new RefusedError(unknownSymbol());
  for (const feature of features) {
    const refusal = featureRefusal(market, feature);
    if (refusal !== undefined) throw new RefusedError(refusal);
  }
  return symbol;
}
