import { absolute, type Decimal, divide, multiply, requireDecimal, subtract } from '#core/amount/decimal.ts';
import type { APPROVAL_REASONS } from '#core/decision/decision.ts';

/**
 * Codes with which the schema refuses a proposal, its order (storage/migrations/0047-proposals.sql), or the order of a signal
 * (0057-signals.sql).
 */
const PROPOSAL_REFUSALS = [
  'token-ended',
  'token-no-budget',
  'token-order-budget',
  'token-day-budget',
  'token-open-proposals',
  'proposal-differs',
  'signal-expired',
  'signal-used',
] as const satisfies readonly (keyof typeof APPROVAL_REASONS)[];
export type ProposalRefusal = (typeof PROPOSAL_REFUSALS)[number];

export const isProposalRefusal = (code: string): code is ProposalRefusal =>
  PROPOSAL_REFUSALS.some((refusal) => refusal === code);

/** An approved proposal is carried out within this time, or not at all. */
export const APPROVED_VALID_SECONDS = 30;

/** An approved market order is refused when its price has moved by more than this many percent since the preview. */
export const MOST_MOVED_PERCENT = 1;
const MOST_MOVED = divide(requireDecimal(String(MOST_MOVED_PERCENT)), requireDecimal('100'));

/** True when `price` is more than {@link MOST_MOVED_PERCENT} above or below the price of the preview. */
export const hasMoved = (previewed: Decimal, price: Decimal): boolean =>
  absolute(subtract(price, previewed)) > multiply(previewed, MOST_MOVED);
