import { z } from 'zod';
import { manualOrder } from '#core/order/manual-order.ts';
import { ACTION_STATES } from '#core/order/operator-action.ts';
import { actionAccepted } from './actions.ts';
import { accountId, decimalText, instant, ofCoin, printable, profileId, tokenId } from './fields.ts';
import { operation } from './operation.ts';

const proposalId = z.uuid();
/** SHA-256 of the exact intent, hexadecimal. */
const hash = z.string().regex(/^[0-9a-f]{64}$/, 'is not a SHA-256 in hexadecimal');

const outcome = z.object({
  id: z.uuid(),
  state: z.enum(ACTION_STATES),
  /** A sentence why it was refused. */
  reason: z.string().nullable(),
  /** Codes and numbers. */
  detail: z.unknown(),
});

/**
 * An order that a token proposes. The `detail` of a preview that is `done` holds the order as it would be placed: quantity,
 * price, quote, fee and worstLoss in the quote asset.
 */
const proposal = z.object({
  id: proposalId,
  /** An approval names it, so that it covers exactly this intent. */
  hash,
  state: z.enum(['open', 'approved', 'denied', 'cancelled', 'expired']),
  tokenId,
  tokenName: z.string(),
  accountId,
  profileId,
  symbol: z.string(),
  kind: z.string(),
  order: z.unknown(),
  reason: z.string(),
  quoteAsset: z.string(),
  /** The most that a buy may cost; null for a sale. */
  quote: decimalText.nullable(),
  /** The judgement of the worker. */
  preview: outcome.nullable(),
  /** The action that carries out the approval. */
  action: outcome.nullable(),
  proposedAt: instant,
  expiresAt: instant,
  decidedAt: instant.nullable(),
});

const ofProposal = { auth: 'session', params: z.object({ id: proposalId }) } as const;

export const proposeOrder = operation({
  ...ofCoin,
  method: 'POST',
  path: '/profiles/:id/symbols/:symbol/proposals',
  need: 'trade',
  status: 202,
  summary: 'Proposes a manual order; the worker judges it now, and places it only when the operator approves',
  audit: 'proposal.create',
  body: z.strictObject({
    /** A market buy is for an amount of quote. */
    order: manualOrder,
    /** For the operator: why. */
    reason: printable.min(1, 'is empty').max(300, 'is longer than 300 characters'),
    /** It expires after this many seconds. */
    validSeconds: z.number().int().min(10).max(3600).default(600),
  }),
  response: proposal,
});

export const listProposals = operation({
  auth: 'session',
  method: 'GET',
  path: '/proposals',
  need: 'trade',
  filtersAccounts: true,
  status: 200,
  summary: 'Proposed orders, newest first; a token sees its own',
  query: z.strictObject({ limit: z.coerce.number().int().min(1).max(100).default(20) }),
  response: z.object({ proposals: z.array(proposal) }),
});

export const readProposal = operation({
  ...ofProposal,
  method: 'GET',
  path: '/proposals/:id',
  need: 'trade',
  filtersAccounts: true,
  status: 200,
  summary: 'A proposed order with its preview and its outcome',
  response: proposal,
});

export const cancelProposal = operation({
  ...ofProposal,
  method: 'DELETE',
  path: '/proposals/:id',
  need: 'trade',
  filtersAccounts: true,
  status: 204,
  summary: 'Withdraws an open proposal; a token withdraws its own',
  audit: 'proposal.cancel',
});

export const approveProposal = operation({
  ...ofProposal,
  method: 'POST',
  path: '/proposals/:id/approve',
  need: 'session',
  status: 202,
  summary: 'Approves exactly this proposal, once; the worker judges the order again and places it within 30 seconds',
  audit: 'proposal.approve',
  body: z.strictObject({ hash }),
  response: actionAccepted,
});

export const denyProposal = operation({
  ...ofProposal,
  method: 'POST',
  path: '/proposals/:id/deny',
  need: 'session',
  status: 204,
  summary: 'Denies an open proposal',
  audit: 'proposal.deny',
});
