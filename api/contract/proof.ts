import { z } from 'zod';
import { EVIDENCE_KINDS } from '#core/order/order-evidence.ts';
import { VERDICTS } from '#core/position/order-proof.ts';
import { accountId, decimalText, instant, orderId, profileId } from './fields.ts';
import { operation } from './operation.ts';
import { fill, order } from './profiles.ts';

/**
 * An order from the decision to the ledger. Times of orders, fills and ledger rows are market time; those of evidence,
 * `recordedAt`, `sendBefore` and `certainAt` are wall time.
 */
export const readOrderProof = operation({
  method: 'GET',
  path: '/orders/:id/proof',
  filtersAccounts: true,
  auth: 'session',
  status: 200,
  summary: 'All records of an order: decision, intent, request, answers, executions and ledger rows, with a verdict',
  params: z.object({ id: orderId }),
  response: z.object({
    verdict: z.object({
      state: z.enum(VERDICTS),
      sentence: z.string(),
      wanted: decimalText,
      filled: decimalText,
      booked: decimalText,
      problems: z.array(z.string()),
      /** While the outcome is unknown: from this time on it can be proved that the order never arrived. */
      certainAt: instant.nullable(),
    }),
    order: order.extend({
      accountId,
      profileId,
      recordedAt: instant,
      sendBefore: instant,
      /** Number of the lease under which it was committed. */
      fencing: z.string(),
      decision: z.unknown(),
      /** Refusal of the exchange, or why the order was not sent. */
      payload: z.unknown(),
      actionId: z.string().nullable(),
    }),
    evidence: z.array(z.object({ kind: z.enum(EVIDENCE_KINDS), at: instant, detail: z.unknown() })),
    fills: z.array(fill),
    ledger: z.array(
      z.object({
        tradeId: z.string(),
        book: z.string(),
        asset: z.string(),
        amount: decimalText,
        reason: z.string(),
        at: instant,
      }),
    ),
  }),
});
