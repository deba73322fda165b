import { z } from 'zod';
import { manualOrder } from '#core/order/manual-order.ts';
import { actionAccepted } from './actions.ts';
import { decimalText, ofCoin, orderId } from './fields.ts';
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

const range = z.object({ step: decimalText, min: decimalText, max: decimalText });

export const readOrderTerms = operation({
  ...ofCoin,
  method: 'GET',
  path: '/profiles/:id/symbols/:symbol/order-terms',
  status: 200,
  summary: 'The balance, fee, trading rules and stop that the size of a manual order depends on',
  response: z.object({
    /** Available quote asset of the account; null before the first wallet snapshot. */
    available: decimalText.nullable(),
    /** Fee of a market order as a share, 0.001 for 0.1 %; null while it is not known. */
    takerFee: z.number().nullable(),
    /** Null while the trading rules are not loaded. */
    rules: z
      .object({
        price: z.object({ tick: decimalText }),
        ...{ lot: range, marketLot: range },
        notional: z.object({ min: decimalText, max: decimalText, minAppliesToMarket: z.boolean() }),
      })
      .nullable(),
    /** The stop of a buy by the settings: multiples of its price, and of the stop for the limit; null for settings without a stop. */
    stop: z.object({ multiple: decimalText, limitOffset: decimalText }).nullable(),
  }),
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
