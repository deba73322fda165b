import { z } from 'zod';
import { manualOrder } from '#core/order/manual-order.ts';
import { actionAccepted } from './actions.ts';
import { orderId, profileId, symbolName } from './fields.ts';
import { operation } from './operation.ts';

const params = z.object({ id: profileId, symbol: symbolName });
const manualAction = { auth: 'session', status: 202, response: actionAccepted } as const;
/** Made up by the caller: asking again with the same id, as after a lost answer, asks for nothing more. */
const requestId = z.uuid().optional();

export const placeOrder = operation({
  ...manualAction,
  method: 'POST',
  path: '/profiles/:id/symbols/:symbol/orders',
  summary: 'Orders by hand: the worker judges, sends and follows it like an order of its own',
  params,
  body: z.strictObject({ order: manualOrder, requestId }),
});

export const cancelOrder = operation({
  ...manualAction,
  method: 'DELETE',
  path: '/profiles/:id/symbols/:symbol/orders/:orderId',
  summary: 'Cancels an order of the coin that rests on the exchange',
  params: params.extend({ orderId }),
});

export const forceSell = operation({
  ...manualAction,
  method: 'POST',
  path: '/profiles/:id/symbols/:symbol/force-sell',
  summary: 'Sells the whole position at the market; what rests on the book is cancelled first',
  params,
  body: z.strictObject({ requestId }),
});
