import type { Account } from './accounts.ts';
import { amendOrder, amendRefusal } from './amend.ts';
import { EXCHANGE_FILTERS, filtersOf } from './exchange-info.ts';
import { orderListJson } from './list-json.ts';
import { ordersOfList } from './lists.ts';
import { listingNow } from './market/symbol-market.ts';
import { isOpen, type Order } from './order.ts';
import { amendedOrder, fixed8 } from './order-json.ts';
import { findWanted, readWanted, UNKNOWN_ORDER } from './order-lookup.ts';
import { randomClientId } from './order-request.ts';
import {
  finishParams,
  type Params,
  readAmount,
  readClientId,
  readInteger,
  readLimit,
  requireSymbol,
} from './params.ts';
import { deny, missing, RefusedError, unknownSymbol } from './refusal.ts';
import { requireListed } from './rest-trading.ts';
import { ownQuery, type SignedRoute } from './routes.ts';
import { catchUp, commit, enliven, type Venue } from './venue.ts';

/** Changing the quantity of an open order, and what limits an account in a coin. */
export const amendRoutes = (venue: Venue): SignedRoute[] => [
  {
    ...{ method: 'PUT', path: '/api/v3/order/amend/keepPriority', wsMethod: 'order.amend.keepPriority' },
    ...{ weight: 4, security: 'trade' },
    handle: (params, account) => amend(venue, params, account),
  },
  ownQuery(venue, ['order/amendments', 'order.amendments', 4], listAmendments),
  ownQuery(venue, ['myFilters', 'myFilters', 40], listFilters),
];

function amend(venue: Venue, params: Params, account: Account): unknown {
  const symbol = requireListed(venue, requireSymbol(params));
  const wanted = readWanted(params, symbol);
  const quantity = readAmount(params, 'newQty');
  if (quantity === undefined) throw new RefusedError(missing('newQty'));
  const clientOrderId = readClientId(params, 'newClientOrderId') ?? randomClientId();
  finishParams(params);
  enliven(venue, symbol);
  const atMs = catchUp(venue);
  const order = findWanted(venue, account, wanted);
  if (order === 'disagree') return deny(-2038, 'Cancel order is invalid. Check origClOrdId and orderId.');
  if (order === undefined || !isOpen(order)) return deny(-2038, UNKNOWN_ORDER);
  const change = { quantity, clientOrderId, atMs };
  const refusal = amendRefusal(venue.floor, order, change);
  if (refusal !== undefined) throw new RefusedError(refusal);
  const originalId = order.clientOrderId;
  amendOrder(venue.floor, order, change);
  commit(venue, atMs);
  const list = venue.floor.orders.lists.get(order.listId);
  const {
    listStatusType: _,
    transactionTime: __,
    ...listStatus
  } = list === undefined ? {} : orderListJson(list, ordersOfList(venue.floor.orders, list));
  return {
    transactTime: atMs,
    executionId: order.amendments.at(-1)?.executionId,
    amendedOrder: amendedOrder(order, originalId),
    ...(list === undefined ? {} : { listStatus }),
  };
}

function listAmendments(venue: Venue, params: Params, account: Account): unknown {
  const symbol = requireListed(venue, requireSymbol(params));
  const orderId = readInteger(params, 'orderId');
  if (orderId === undefined) throw new RefusedError(missing('orderId'));
  const fromId = readInteger(params, 'fromExecutionId') ?? 0;
  const limit = readLimit(params, 500, 1000);
  finishParams(params);
  catchUp(venue);
  const order = findWanted(venue, account, { symbol, orderId, clientOrderId: undefined });
  if (order === undefined || order === 'disagree') return deny(-2013, 'Order does not exist.');
  return amendmentsOf(order, fromId).slice(0, limit);
}

const amendmentsOf = (order: Order, fromId: number): unknown[] =>
  order.amendments
    .filter((one) => one.executionId >= fromId)
    .map((one) => ({
      symbol: order.symbol,
      orderId: order.id,
      executionId: one.executionId,
      origClientOrderId: one.originalClientId,
      newClientOrderId: one.clientOrderId,
      origQty: fixed8(one.originalQuantity),
      newQty: fixed8(one.quantity),
      time: one.atMs,
    }));

function listFilters(venue: Venue, params: Params, account: Account): unknown {
  const symbol = requireSymbol(params);
  finishParams(params);
  const market = venue.markets.get(symbol);
  if (market === undefined) throw new RefusedError(unknownSymbol());
  const { baseAsset, quoteAsset } = market.listing.rules;
  const assetFilters = [...account.assetLimits]
    .filter(([asset]) => asset === baseAsset || asset === quoteAsset)
    .map(([asset, limit]) => ({ filterType: 'MAX_ASSET', asset, limit: fixed8(limit) }));
  return { exchangeFilters: EXCHANGE_FILTERS, symbolFilters: filtersOf(listingNow(market)), assetFilters };
}
