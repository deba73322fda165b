import type { APPROVAL_REASONS } from '#core/decision/decision.ts';

/** Codes with which the schema refuses a proposal, or its order (storage/migrations/0047-proposals.sql). */
const PROPOSAL_REFUSALS = [
  'token-ended',
  'token-no-budget',
  'token-order-budget',
  'token-day-budget',
  'token-open-proposals',
  'proposal-differs',
] as const satisfies readonly (keyof typeof APPROVAL_REASONS)[];
export type ProposalRefusal = (typeof PROPOSAL_REFUSALS)[number];

export const isProposalRefusal = (code: string): code is ProposalRefusal =>
  PROPOSAL_REFUSALS.some((refusal) => refusal === code);

/** An approved proposal is carried out within this time, or not at all. */
export const APPROVED_VALID_SECONDS = 30;
