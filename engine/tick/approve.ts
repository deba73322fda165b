import type { Decision, Numbers, ApprovalReason } from '#core/decision/decision.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { refusalOf } from '#core/judge/checks.ts';
import { judgeEntry } from '#core/judge/entry.ts';
import { judgeExit } from '#core/judge/exit.ts';
import { judgeManual, type ManualRequest } from '#core/judge/manual.ts';
import { type Judgement, numbersOf, type Refusal, type Situation } from '#core/judge/situation.ts';
import { judgeStop } from '#core/judge/stop.ts';
import type { ApprovedOrder, OrderDraft } from '#core/order/order.ts';
import type { StopPlan } from '#core/sizing/protective-stop.ts';

/** The situation of a coin for one tick, and the owner of its orders. */
export interface ApprovalContext extends Situation {
  readonly accountId: AccountId;
  readonly profileId: ProfileId;
}

interface RefusedOrder {
  readonly kind: 'refused';
  readonly reason: ApprovalReason;
  readonly numbers: Numbers;
}

export type ApprovalResult =
  | {
      readonly kind: 'approved';
      readonly order: ApprovedOrder;
      readonly numbers: Numbers;
      /** The target of the order list that the order is the stop of. */
      readonly target?: ApprovedOrder;
    }
  | RefusedOrder;

/** The only place that turns a draft into an order that may be committed and sent. */
const approveDraft = (draft: OrderDraft): ApprovedOrder => draft as ApprovedOrder;

const refusedBy = ({ reason, facts }: Refusal): RefusedOrder => ({
  kind: 'refused',
  reason,
  numbers: numbersOf(facts),
});

function resultOf(judgement: Judgement, { accountId, profileId, rules: { symbol } }: ApprovalContext): ApprovalResult {
  if (judgement.kind === 'refused') return refusedBy(judgement);
  const order = approveDraft({ accountId, profileId, symbol, ...judgement.order });
  return { kind: 'approved', order, numbers: numbersOf(judgement.facts) };
}

/** Approves or refuses a decision by the rules of core/judge, and makes the order that may be sent. */
export const approve = (
  decision: Extract<Decision, { kind: 'buy' | 'sell' }>,
  context: ApprovalContext,
): ApprovalResult =>
  resultOf(decision.kind === 'buy' ? judgeEntry(decision, context) : judgeExit(decision, context), context);

/** Approves or refuses a manual order as requested. */
export const approveManual = (request: ManualRequest, context: ApprovalContext): ApprovalResult =>
  resultOf(judgeManual(request, context), context);

/** Approves or refuses a protective stop that was planned and sized, with the target that rests next to it. */
export function approveStop(plan: Extract<StopPlan, { kind: 'place' }>, context: ApprovalContext): ApprovalResult {
  const result = resultOf(judgeStop(plan, context), context);
  if (result.kind === 'refused' || plan.target === undefined) return result;
  const form = { type: 'limit', price: plan.target, maker: true } as const;
  return { ...result, target: approveDraft({ ...result.order, purpose: 'target', form }) };
}

/** Why the engine may not place, move or cancel the stop now. */
export function stopRefusal(context: ApprovalContext): RefusedOrder | undefined {
  const refusal = refusalOf('stop', context);
  return refusal === undefined ? undefined : refusedBy(refusal);
}

/** True when no exit may be sent now, whatever its size. */
export const isExitRefused = (context: ApprovalContext): boolean => refusalOf('exit', context) !== undefined;
