import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import { venueOf } from '#core/account/account.ts';
import { formatDecimal, multiply, requireDecimal } from '#core/amount/decimal.ts';
import { APPROVAL_REASONS, describe } from '#core/decision/decision.ts';
import { newId } from '#core/ids.ts';
import { canonicalJson } from '#core/json.ts';
import type { manualOrder } from '#core/order/manual-order.ts';
import { APPROVED_VALID_SECONDS } from '#core/order/proposal.ts';
import { decideProposal, insertProposal, listProposals as selectProposals } from '#storage/operator/proposals.ts';
import { requestAction } from '#storage/trading/operator-actions.ts';
import { proposalRefusalIn } from '#storage/trading/proposal-refusal.ts';
import type { AnswerValue } from '#api/contract/operation.ts';
import {
  approveProposal,
  cancelProposal,
  denyProposal,
  listProposals,
  proposeOrder,
  readProposal,
} from '#api/contract/proposals.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { ApiProblem, invalidField } from '#api/frame/problem.ts';
import type { Operator } from '#api/guard/session.ts';
import type { Incoming, Routes } from '#api/handle.ts';

type Order = z.output<typeof manualOrder>;
type Proposal = AnswerValue<typeof readProposal>;

/** The worker judges a proposal within this time, or its preview expires. */
const PREVIEW_VALID_SECONDS = 30;
/** A new proposal is answered with its preview when that is ready within this time. */
const PREVIEW_WAIT_MS = 3_000;
const LOOK_EVERY_MS = 100;

const hashOf = (intent: unknown): Buffer => createHash('sha256').update(canonicalJson(intent)).digest();

/** The most that a buy may cost, in quote; null for a sale. */
function costOf({ side, price, quantity, quoteAmount }: Order): string | null {
  if (side === 'sell') return null;
  if (quoteAmount !== undefined) return quoteAmount;
  if (price === undefined || quantity === undefined)
    throw invalidField('order.quoteAmount', 'is missing: a proposed market buy is for an amount of quote');
  return formatDecimal(multiply(requireDecimal(price), requireDecimal(quantity)));
}

const viewOf = ({ intentHash, payload, ...row }: Awaited<ReturnType<typeof selectProposals>>[number]): Proposal => ({
  ...row,
  hash: intentHash.toString('hex'),
  order: payload,
});

/** A proposal of the operator; a token finds its own. */
async function requireProposal({ database }: ApiContext, { user, token }: Operator, id: string): Promise<Proposal> {
  const only = { userId: user.id, tokenId: token?.id, id, limit: 1 };
  const [row] = await selectProposals(database.kysely, only);
  if (row === undefined) throw new ApiProblem('not_found', `There is no proposal ${id}.`);
  return viewOf(row);
}

async function propose(context: ApiContext, incoming: Incoming<typeof proposeOrder>): Promise<Proposal> {
  const { operator, commit, body, params, signal } = incoming;
  const { order, reason, validSeconds } = body;
  const { token, user } = operator;
  if (token === null) throw new ApiProblem('conflict', 'Proposals are for tokens: place the order yourself.');
  const { symbol } = params;
  const account = await incoming.readAccount();
  const rules = (await context.venues.rules(venueOf(account)))?.get(symbol);
  if (rules === undefined)
    throw new ApiProblem('unavailable', `The trading rules of ${symbol} are not loaded: try again in a moment.`);
  const [id, previewId] = [newId<string>(), newId<string>()];
  const quote = costOf(order);
  const { quoteAsset } = rules;
  await commit(async ({ transaction, profile: { id: profileId, accountId } }) => {
    const subject = { accountId, profileId, symbol };
    const intent = { ...subject, kind: 'manual-order', payload: order } as const;
    const intentHash = hashOf({ id, ...intent });
    const proposal = {
      ...intent,
      id,
      tokenId: token.id,
      intentHash,
      quoteAsset,
      quote,
      reason,
      previewId,
      validSeconds,
    };
    await insertProposal(transaction, proposal).catch(throwProblem);
    const preview = { ...subject, id: previewId, kind: 'preview-order', payload: order, requestedBy: user.id };
    await requestAction(transaction, { ...preview, validSeconds: PREVIEW_VALID_SECONDS });
    return { answer: undefined, subject: id, after: { ...intent, hash: intentHash.toString('hex'), quote, reason } };
  });
  return withPreview(() => requireProposal(context, operator, id), signal);
}

function throwProblem(error: unknown): never {
  const refusal = proposalRefusalIn(error);
  if (refusal === undefined) throw error;
  throw new ApiProblem('conflict', describe(APPROVAL_REASONS[refusal.reason], refusal.numbers));
}

async function withPreview(read: () => Promise<Proposal>, signal: AbortSignal): Promise<Proposal> {
  const endMs = performance.now() + PREVIEW_WAIT_MS;
  const isJudged = ({ preview }: Proposal): boolean => preview?.state !== 'pending' && preview?.state !== 'taken';
  let proposal = await read();
  while (!isJudged(proposal) && performance.now() < endMs && !signal.aborted) {
    await delay(LOOK_EVERY_MS);
    proposal = await read();
  }
  return proposal;
}

/** Why an open proposal cannot be approved; undefined when it can. */
function obstacleOf({ preview, hash }: Proposal, approved: string): string | undefined {
  if (hash !== approved) return 'The hash is of another intent: read the proposal again.';
  if (preview?.state === 'done') return undefined;
  if (preview?.state === 'refused') return `The worker refuses the order: ${preview.reason ?? 'no reason was given'}`;
  return preview?.state === 'pending' || preview?.state === 'taken'
    ? 'The worker has not judged the order yet: try again in a moment.'
    : 'The worker did not judge the order in time: it must be proposed again.';
}

const alreadyDecided = ({ state }: Proposal): ApiProblem =>
  new ApiProblem('conflict', state === 'open' ? 'The token of the proposal is revoked.' : `The proposal is ${state}.`);

async function approve(context: ApiContext, { operator, commit, params, body }: Incoming<typeof approveProposal>) {
  const { id } = params;
  const proposal = await requireProposal(context, operator, id);
  const { accountId, profileId, symbol, kind, order: payload, hash } = proposal;
  const obstacle = proposal.state === 'open' ? obstacleOf(proposal, body.hash) : undefined;
  if (obstacle !== undefined) throw new ApiProblem('conflict', obstacle);
  return commit(async ({ transaction }) => {
    const only = { id, userId: operator.user.id, hash: Buffer.from(body.hash, 'hex') };
    if (!(await decideProposal(transaction, only, 'approved')))
      throw alreadyDecided(await requireProposal(context, operator, id));
    const { id: actionId } = await requestAction(transaction, {
      ...{ accountId, profileId, symbol, kind, payload, requestedBy: operator.user.id, proposalId: id },
      validSeconds: APPROVED_VALID_SECONDS,
    });
    return { answer: { actionId }, subject: id, after: { actionId, hash, symbol, kind, payload } };
  });
}

export function mountProposals({ context, handle }: Routes): void {
  handle(proposeOrder, (incoming) => propose(context, incoming));
  handle(approveProposal, (incoming) => approve(context, incoming));
  handle(readProposal, ({ operator, params }) => requireProposal(context, operator, params.id));

  handle(listProposals, async ({ operator: { user, token }, query: { limit } }) => {
    const rows = await selectProposals(context.database.kysely, { userId: user.id, tokenId: token?.id, limit });
    return { proposals: rows.map(viewOf) };
  });

  const end = async (
    { operator, commit, params: { id } }: Pick<Incoming<typeof denyProposal>, 'operator' | 'commit' | 'params'>,
    state: 'denied' | 'cancelled',
  ): Promise<undefined> => {
    const proposal = await requireProposal(context, operator, id);
    const only = { id, userId: operator.user.id, tokenId: operator.token?.id };
    await commit(async ({ transaction }) => {
      if (!(await decideProposal(transaction, only, state)))
        throw alreadyDecided(await requireProposal(context, operator, id));
      const { hash, symbol, order } = proposal;
      return { answer: undefined, subject: id, after: { hash, symbol, order } };
    });
    return undefined;
  };
  handle(denyProposal, (incoming) => end(incoming, 'denied'));
  handle(cancelProposal, (incoming) => end(incoming, 'cancelled'));
}
