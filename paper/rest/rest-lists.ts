import type { Account } from '#paper/exchange/accounts.ts';
import { type CanceledList, cancelList } from '#paper/exchange/list-cancel.ts';
import { canceledListJson, orderListJson } from './list-json.ts';
import { placeList } from '#paper/exchange/list-placement.ts';
import { type ListRequest, parseOco, parseOldOco, parseTriggered } from './list-request.ts';
import { ordersOfList } from '#paper/exchange/lists.ts';
import { placedOrder } from './order-json.ts';
import type { Feature } from '#paper/market/terms.ts';
import type { ListKind, OrderList } from '#paper/exchange/order-list.ts';
import { UNKNOWN_ORDER } from './order-lookup.ts';
import { randomClientId } from './order-request.ts';
import { findList, listsOf } from '#paper/exchange/orders.ts';
import { finishParams, type Params, readClientId, readInteger, requireSymbol } from './params.ts';
import { readRange, requireUntimed, rowsIn } from './range.ts';
import { bothMissing, deny, RefusedError } from '#paper/exchange/refusal.ts';
import { requireFilters, requireListed } from './rest-trading.ts';
import { accountQuery, type SignedRoute } from './routes.ts';
import { catchUp, commit, activate, type Venue } from '#paper/exchange/venue.ts';

/** Order lists: place, cancel, query. */
export const listRoutes = (venue: Venue): SignedRoute[] => [
  placement(venue, { path: 'orderList/oco', wsMethod: 'orderList.place.oco', kind: 'OCO', parse: parseOco }),
  placement(venue, { path: 'order/oco', wsMethod: 'orderList.place', kind: 'OCO', parse: parseOldOco }),
  ...(['OTO', 'OTOCO'] as const).map((kind) => {
    const name = kind.toLowerCase();
    const parse = parseTriggered(kind);
    return placement(venue, { path: `orderList/${name}`, wsMethod: `orderList.place.${name}`, kind, parse });
  }),
  {
    ...{ method: 'DELETE', path: '/api/v3/orderList', wsMethod: 'orderList.cancel', weight: 1, security: 'trade' },
    freeWhenDone: true,
    handle: (params, account) => cancel(venue, params, account),
  },
  accountQuery(venue, ['orderList', 'orderList.status', 4], query),
  {
    ...{ method: 'GET', path: '/api/v3/openOrderList', wsMethod: 'openOrderLists.status', weight: 6, security: 'read' },
    handle: (params, account) => {
      finishParams(params);
      catchUp(venue);
      return listsOf(venue.engine.orders, account.name)
        .filter((list) => !list.done)
        .map((list) => describe(venue, list));
    },
  },
  accountQuery(venue, ['allOrderList', 'allOrderLists', 20], listAll),
];

const placement = (
  venue: Venue,
  list: {
    readonly path: string;
    readonly wsMethod: string;
    readonly kind: ListKind;
    readonly parse: (params: Params, account: string) => ListRequest;
  },
): SignedRoute => ({
  ...{ method: 'POST', path: `/api/v3/${list.path}`, wsMethod: list.wsMethod, weight: 1, security: 'trade' },
  ...{ freeWhenDone: true, placesOrder: true, orderCount: list.kind === 'OTOCO' ? 3 : 2 },
  handle: (params, account) => place(venue, list.parse(params, account.name)),
});

/** The features that a coin needs for each kind of list. */
const NEEDS: Readonly<Record<ListKind, readonly Feature[]>> = {
  OCO: ['ocoAllowed'],
  OTO: ['otoAllowed'],
  OTOCO: ['otoAllowed', 'ocoAllowed'],
};

function place(venue: Venue, { list, symbol, responseType }: ListRequest): unknown {
  requireListed(venue, symbol, NEEDS[list.kind]);
  requireFilters(venue, list.orders, true);
  activate(venue, symbol);
  const atMs = catchUp(venue);
  const placed = placeList(venue.engine, list, atMs);
  if (placed.kind === 'refused') throw new RefusedError(placed);
  commit(venue, atMs);
  return {
    ...orderListJson(placed.list, placed.orders),
    orderReports: placed.orders.map((order, at) =>
      placedOrder({ order, ...(placed.taken[at] ?? { fills: [], prevented: [] }) }, responseType),
    ),
  };
}

function cancel(venue: Venue, params: Params, account: Account): unknown {
  const symbol = requireListed(venue, requireSymbol(params));
  const listId = readInteger(params, 'orderListId');
  const clientListId = readClientId(params, 'listClientOrderId');
  const cancelId = readClientId(params, 'newClientOrderId') ?? randomClientId();
  finishParams(params);
  if (listId === undefined && clientListId === undefined)
    throw new RefusedError(bothMissing('orderListId', 'listClientOrderId'));
  const atMs = catchUp(venue);
  const list = findList(venue.engine.orders, account.name, { listId, clientListId });
  if (list === undefined || list.done || list.symbol !== symbol) return deny(-2011, UNKNOWN_ORDER);
  const canceled: CanceledList = cancelList(venue.engine, list, { id: cancelId, atMs });
  commit(venue, atMs);
  return canceledListJson(canceled);
}

function query(venue: Venue, params: Params, account: Account): unknown {
  const listId = readInteger(params, 'orderListId');
  const clientListId = readClientId(params, 'origClientOrderId');
  params.read.add('symbol');
  finishParams(params);
  if (listId === undefined && clientListId === undefined)
    throw new RefusedError(bothMissing('orderListId', 'origClientOrderId'));
  catchUp(venue);
  const list = findList(venue.engine.orders, account.name, { listId, clientListId });
  return list === undefined ? deny(-2013, 'Order list does not exist.') : describe(venue, list);
}

function listAll(venue: Venue, params: Params, account: Account): unknown {
  const range = readRange(params, 'fromId');
  finishParams(params);
  requireUntimed(range, range.fromId);
  catchUp(venue);
  const own = listsOf(venue.engine.orders, account.name);
  const rows = rowsIn(range, own, { id: (list) => list.id, atMs: (list) => list.createdMs });
  return rows.map((list) => describe(venue, list));
}

const describe = (venue: Venue, list: OrderList): unknown =>
  orderListJson(list, ordersOfList(venue.engine.orders, list));
