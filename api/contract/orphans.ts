import { z } from 'zod';
import { instantText } from '#core/text-fields.ts';
import { ORPHAN_STATES } from '#core/account/orphan.ts';
import { actionAccepted } from './actions.ts';
import { decimalText, instant, ofAccount, profileId, symbolName } from './fields.ts';
import { operation } from './operation.ts';

const ofOrder = {
  ...ofAccount,
  params: ofAccount.params.extend({ symbol: symbolName, orderId: z.string().regex(/^\d{1,20}$/) }),
};

const orphan = z.object({
  symbol: z.string(),
  orderId: z.string(),
  clientOrderId: z.string(),
  side: z.enum(['buy', 'sell']),
  type: z.string(),
  price: decimalText.nullable(),
  stopPrice: decimalText.nullable(),
  quantity: decimalText,
  filledQuantity: decimalText,
  /** The order list (OCO) that it is a leg of. */
  listId: z.string().nullable(),
  /** The amount that it locks; null while the coin's trading rules are unknown. */
  locked: z.object({ asset: z.string(), amount: decimalText }).nullable(),
  placedAt: instant,
  ageSeconds: z.number(),
  firstSeenAt: instant,
  lastSeenAt: instant,
  /** `left`: the operator wants to keep it. `gone`: it is no longer open, and was not cancelled here. */
  state: z.enum(ORPHAN_STATES),
  /** A guess with its evidence as a sentence; only a proven owner can adopt it. */
  owner: z.object({
    profileId: profileId.nullable(),
    profileName: z.string().nullable(),
    proven: z.boolean(),
    evidence: z.string(),
  }),
});

export const listOrphanOrders = operation({
  method: 'GET',
  path: '/accounts/:id/orphan-orders',
  ...ofAccount,
  status: 200,
  summary: 'Open orders on the exchange that no profile tracks, then the newest resolved ones',
  response: z.object({
    /** Time of the last check of the exchange; null before the first. */
    checkedAt: instantText.nullable(),
    orphans: z.array(orphan),
  }),
});

const orphanAction = { method: 'POST', status: 202, response: actionAccepted } as const;

export const detectOrphanOrders = operation({
  ...ofAccount,
  ...orphanAction,
  path: '/accounts/:id/orphan-orders/detect',
  summary: 'Has the worker look for orphan orders now instead of within ten minutes',
  audit: 'orphan.detect',
});

export const adoptOrphanOrder = operation({
  ...ofOrder,
  ...orphanAction,
  path: '/accounts/:id/orphan-orders/:symbol/:orderId/adopt',
  summary: 'Assigns the order to the one profile that provably owns it',
  audit: 'orphan.adopt',
});

export const cancelOrphanOrder = operation({
  ...ofOrder,
  ...orphanAction,
  path: '/accounts/:id/orphan-orders/:symbol/:orderId/cancel',
  summary: 'Has the worker cancel the order on the exchange',
  audit: 'orphan.cancel',
});

export const leaveOrphanOrder = operation({
  ...ofOrder,
  method: 'POST',
  path: '/accounts/:id/orphan-orders/:symbol/:orderId/leave',
  status: 204,
  summary: 'Keeps the order open; it stays listed as left',
  audit: 'orphan.leave',
});
