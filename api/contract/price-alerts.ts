import { z } from 'zod';
import { idSchema } from '#core/id-schema.ts';
import { readDecimal, requireDecimal } from '#core/amount/decimal.ts';
import { positiveAmount } from '#core/text-fields.ts';
import { decimalText, instant, ofAccount, symbolName } from './fields.ts';
import { operation } from './operation.ts';

const MAX_PERCENT = requireDecimal('1000');
const percent = positiveAmount.refine((text) => (readDecimal(text) ?? 0n) <= MAX_PERCENT, 'is above 1,000');
const WEEK_MINUTES = 7 * 24 * 60;

/** `above` and `below`: the price crosses a level. `move`: it moves by a percentage within a time, up or down. */
const rule = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('above'), price: positiveAmount }),
  z.strictObject({ kind: z.literal('below'), price: positiveAmount }),
  z.strictObject({
    kind: z.literal('move'),
    percent,
    minutes: z.int('must be a whole number').min(1).max(WEEK_MINUTES, 'is longer than a week'),
  }),
]);

const alert = z.object({
  id: idSchema<string>(),
  symbol: symbolName,
  rule,
  /** Null while it is armed; market time. */
  triggeredAt: instant.nullable(),
  triggeredPrice: decimalText.nullable(),
  /** Current price of the coin; null without one, when the alert cannot be judged. */
  price: decimalText.nullable(),
});

const alertPath = {
  ...ofAccount,
  params: ofAccount.params.extend({ alertId: idSchema<string>() }),
  locks: ['account'],
} as const;

export const listPriceAlerts = operation({
  method: 'GET',
  path: '/accounts/:id/price-alerts',
  ...ofAccount,
  status: 200,
  summary: 'Price alerts of an account, and the coins that can have one',
  response: z.object({ alerts: z.array(alert), coins: z.array(z.string()) }),
});

export const addPriceAlert = operation({
  method: 'POST',
  path: '/accounts/:id/price-alerts',
  ...ofAccount,
  status: 201,
  summary: 'Sends one message when the price of a coin crosses a level or moves by a percentage within a time',
  audit: 'price-alert.create',
  locks: ['account'],
  body: z.strictObject({ symbol: symbolName, rule }),
  response: alert,
});

export const rearmPriceAlert = operation({
  ...alertPath,
  method: 'POST',
  path: '/accounts/:id/price-alerts/:alertId/rearm',
  status: 200,
  summary: 'Switches a triggered alert on again',
  audit: 'price-alert.rearm',
  response: alert,
});

export const deletePriceAlert = operation({
  ...alertPath,
  method: 'DELETE',
  path: '/accounts/:id/price-alerts/:alertId',
  status: 204,
  summary: 'Removes a price alert',
  audit: 'price-alert.delete',
});
