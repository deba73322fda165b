import type { OrderId } from '#core/ids.ts';

/**
 * Evidence of an order in addition to its row, fills and ledger rows: the tick that decided it, each request without key
 * and signature, each answer, each event of the account stream, each query while its outcome was unknown, and the tick
 * that cancelled it.
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

/** Receives request and answer of a signed call. The caller does not wait for it. */
export type OnWire = (seen: Pick<OrderEvidence, 'at' | 'detail'> & { readonly kind: 'request' | 'answer' }) => void;
