import { z } from 'zod';
import { manualOrder } from '#core/order/manual-order.ts';
import { actionAccepted } from './actions.ts';
import { orderId, profileId, symbolName } from './fields.ts';
import { operation } from './operation.ts';

const params = z.object({ id: profileId, symbol: symbolName });
const manualAction = { auth: 'session', status: 202, response: actionAccepted } as const;
/** Idempotency key of the caller: a retry with the same id, such as after a lost answer, has no further effect. */
const requestId = z.uuid().optional();

export const placeOrder = operation({
  ...manualAction,
  method: 'POST',
  path: '/profiles/:id/symbols/:symbol/orders',
  summary: 'Places a manual order; the worker checks, sends and tracks it like its own orders',
  params,
  body: z.strictObject({ order: manualOrder, requestId }),
});

export const cancelOrder = operation({
  ...manualAction,
  method: 'DELETE',
  path: '/profiles/:id/symbols/:symbol/orders/:orderId',
  summary: 'Cancels an open order of the coin on the exchange',
  params: params.extend({ orderId }),
});

export const forceSell = operation({
  ...manualAction,
  method: 'POST',
  path: '/profiles/:id/symbols/:symbol/force-sell',
  summary: 'Sells the whole position at the market after it has cancelled open orders',
  params,
  body: z.strictObject({ requestId }),
});
