import { z } from 'zod';
import type { ReasonText } from '#core/decision/decision.ts';
import { positiveAmount } from '#core/text-fields.ts';

/** What an operator orders by hand: a market order, or a limit order with its price; of a quantity, or for an amount of quote. */
export const manualOrder = z
  .strictObject({
    side: z.enum(['buy', 'sell']),
    type: z.enum(['market', 'limit']),
    price: positiveAmount.optional(),
    quantity: positiveAmount.optional(),
    quoteAmount: positiveAmount.optional(),
  })
  .superRefine(({ type, price, quantity, quoteAmount }, context) => {
    const tell = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
    if (type === 'limit' && price === undefined) tell('price', 'is missing: a limit order has a price');
    if (type === 'market' && price !== undefined) tell('price', 'has no meaning for a market order: leave it out');
    if ((quantity === undefined) === (quoteAmount === undefined))
      tell('quantity', 'or quoteAmount must be given, and not both');
  });

/** What the owner of a coin can be asked to do with it, by kind of action. */
export const COIN_ACTIONS = {
  'manual-order': manualOrder,
  'cancel-order': z.strictObject({ orderId: z.string().max(100) }),
  'force-sell': z.strictObject({}),
} as const;

/** Decisions that are the operator's. */
export const MANUAL_REASONS = {
  'manual-buy': { sentence: 'Buying by hand.', thresholds: [] },
  'manual-sell': { sentence: 'Selling by hand.', thresholds: [] },
  'manual-cancel': { sentence: 'Cancelling order {order} by hand.', thresholds: ['order'] },
  'force-sell': { sentence: 'Selling everything at the market, as asked.', thresholds: [] },
} as const satisfies Record<string, ReasonText>;
export type ManualReason = keyof typeof MANUAL_REASONS;
