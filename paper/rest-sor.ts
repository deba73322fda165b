import type { Account } from './accounts.ts';
import { allocation } from './order-json.ts';
import { type OrderRequest, readOrderRequest } from './order-request.ts';
import { fillsOf } from './orders.ts';
import { finishParams, type Params, readInteger, requireSymbol } from './params.ts';
import { readRange, rowsIn } from './range.ts';
import { deny, NEVER_PEGGED, notRequired, RefusedError, rejected } from './refusal.ts';
import { tryOrder } from './rest-commission.ts';
import { place, requireListed } from './rest-trading.ts';
import { ownQuery, type SignedRoute } from './routes.ts';
import { catchUp, enliven, type Venue } from './venue.ts';

/** Orders that take from every book of interchangeable quote assets. */
export const sorRoutes = (venue: Venue): SignedRoute[] => [
  {
    ...{ method: 'POST', path: '/api/v3/sor/order', wsMethod: 'sor.order.place', weight: 1, security: 'trade' },
    ...{ freeWhenDone: true, placesOrder: true },
    handle: (params, account) => {
      const request = readRouted(venue, params, account);
      finishParams(params);
      return place(venue, request);
    },
  },
  {
    ...{ method: 'POST', path: '/api/v3/sor/order/test', wsMethod: 'sor.order.test', security: 'trade' },
    weight: (params) => (params.values.get('computeCommissionRates') === 'true' ? 20 : 1),
    handle: (params, account) => tryOrder(venue, { params, account, read: () => readRouted(venue, params, account) }),
  },
  ownQuery(venue, ['myAllocations', 'myAllocations', 20], listAllocations),
];

function readRouted(venue: Venue, params: Params, account: Account): OrderRequest {
  const { order, responseType } = readOrderRequest(params, account.name);
  if (order.type !== 'LIMIT' && order.type !== 'MARKET') deny(-1116, 'Invalid orderType.');
  if (order.quoteQuantity > 0n) throw new RefusedError(notRequired('quoteOrderQty'));
  if (order.peg !== null) throw new RefusedError(rejected(NEVER_PEGGED));
  const others = venue.floor.routes(requireListed(venue, order.symbol));
  if (others === undefined) return deny(-1020, 'This operation is not supported.');
  if (account.preventSor) throw new RefusedError(rejected('This action is disabled on this account.'));
  for (const symbol of others) enliven(venue, symbol);
  return { order: { ...order, workingFloor: 'EXCHANGE' }, responseType };
}

function listAllocations(venue: Venue, params: Params, account: Account): unknown {
  const symbol = requireListed(venue, requireSymbol(params));
  const range = readRange(params, 'fromAllocationId');
  const orderId = readInteger(params, 'orderId');
  finishParams(params);
  catchUp(venue);
  const own = fillsOf(venue.floor.orders, account.name, symbol).filter(
    (fill) => fill.allocationId >= 0 && fill.orderId === (orderId ?? fill.orderId),
  );
  return rowsIn(range, own, { id: (fill) => fill.allocationId, atMs: (fill) => fill.atMs }).map(allocation);
}
