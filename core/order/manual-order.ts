import { z } from 'zod';
import type { ReasonText } from '#core/decision/decision.ts';
import { positiveAmount } from '#core/text-fields.ts';

/** A manual order: market, or limit with its price; for a quantity, or for an amount of quote. */
export const manualOrder = z
  .strictObject({
    side: z.enum(['buy', 'sell']),
    type: z.enum(['market', 'limit']),
    price: positiveAmount.optional(),
    quantity: positiveAmount.optional(),
    quoteAmount: positiveAmount.optional(),
  })
  .superRefine(({ type, price, quantity, quoteAmount }, context) => {
    const report = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
    if (type === 'limit' && price === undefined) report('price', 'is missing: a limit order has a price');
    if (type === 'market' && price !== undefined) report('price', 'has no meaning for a market order: leave it out');
    if ((quantity === undefined) === (quoteAmount === undefined))
      report('quantity', 'or quoteAmount must be given, and not both');
  });

/** Manual actions on a coin, by kind. */
export const COIN_ACTIONS = {
  'manual-order': manualOrder,
  /** Judges a manual order without placing it. */
  'preview-order': manualOrder,
  'cancel-order': z.strictObject({ orderId: z.string().max(100) }),
  'force-sell': z.strictObject({}),
} as const;

/** Reason codes of decisions by the operator. */
export const MANUAL_REASONS = {
  'manual-buy': { sentence: 'Buying by hand.', thresholds: [] },
  'manual-sell': { sentence: 'Selling by hand.', thresholds: [] },
  'manual-cancel': { sentence: 'Cancelling order {order} by hand.', thresholds: ['order'] },
  'force-sell': { sentence: 'Selling everything at the market, as requested.', thresholds: [] },
} as const satisfies Record<string, ReasonText>;
export type ManualReason = keyof typeof MANUAL_REASONS;
