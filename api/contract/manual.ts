import { z } from 'zod';
import { manualOrder } from '#core/order/manual-order.ts';
import { actionAccepted } from './actions.ts';
import { ofCoin, orderId } from './fields.ts';
import { operation } from './operation.ts';

const manualAction = { ...ofCoin, status: 202, response: actionAccepted } as const;
/** Idempotency key of the caller: a retry with the same id, such as after a lost answer, has no further effect. */
const requestId = z.uuid().optional();

export const placeOrder = operation({
  ...manualAction,
  method: 'POST',
  path: '/profiles/:id/symbols/:symbol/orders',
  need: 'session',
  summary: 'Places a manual order; the worker checks, sends and tracks it like its own orders',
  audit: 'manual-order',
  body: z.strictObject({ order: manualOrder, requestId }),
});

export const cancelOrder = operation({
  ...manualAction,
  method: 'DELETE',
  path: '/profiles/:id/symbols/:symbol/orders/:orderId',
  need: 'trade',
  summary: 'Cancels an open order of the coin on the exchange',
  audit: 'cancel-order',
  params: ofCoin.params.extend({ orderId }),
});

export const forceSell = operation({
  ...manualAction,
  method: 'POST',
  path: '/profiles/:id/symbols/:symbol/force-sell',
  need: 'session',
  summary: 'Sells the whole position at the market after it has cancelled open orders',
  audit: 'force-sell',
  body: z.strictObject({ requestId }),
});
