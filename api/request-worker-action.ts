import type { Transaction } from '#storage/postgres/database.ts';
import { type ActionRequest, requestAction } from '#storage/trading/operator-actions.ts';
import { auditChange } from './audit.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import type { Caller } from '#api/guard/caller.ts';
import type { Operator } from '#api/guard/session.ts';

/**
 * Asks the worker that owns the account to act, with the audit row of it: both are written with the caller's transaction
 * or not at all, and the worker is told at its commit. Answers with the action's id.
 */
export async function requestWorkerAction(
  transaction: Transaction,
  who: { readonly operator: Operator; readonly caller: Caller },
  request: Omit<ActionRequest, 'requestedBy'>,
): Promise<string> {
  const { accountId, profileId, symbol, kind, payload } = request;
  const { id: actionId, isNew } = await requestAction(transaction, { ...request, requestedBy: who.operator.user.id });
  if (isNew === null)
    throw new ApiProblem('conflict', `The request id ${actionId} stands for something else: use a new one.`);
  if (!isNew) return actionId;
  const subject = profileId === undefined ? `account:${accountId}` : [profileId, symbol].filter(Boolean).join(':');
  await auditChange(transaction, who, { action: kind, subject, after: { actionId, payload } });
  return actionId;
}
