import type { OrderId } from '#core/ids.ts';

/**
 * What is kept of an order's way beside its row, its fills and its ledger rows: the tick that decided it, each request
 * without key and signature, each answer, what the account's stream told, each look while its outcome was unknown, and
 * the tick that cancelled it.
 */
export const EVIDENCE_KINDS = ['decision', 'request', 'answer', 'event', 'lookup', 'cancel'] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

/** `at` is wall time. Never holds credentials. */
export interface OrderEvidence {
  readonly orderId: OrderId;
  readonly kind: EvidenceKind;
  readonly at: Date;
  readonly detail: unknown;
}

/** Is told what a signed call sent and what came back; never waited for. */
export type Witness = (seen: Pick<OrderEvidence, 'at' | 'detail'> & { readonly kind: 'request' | 'answer' }) => void;
