import type { Transaction } from '#storage/postgres/database.ts';
import { type ActionRequest, requestAction } from '#storage/trading/operator-actions.ts';
import { auditChange } from './audit.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import type { Caller } from '#api/guard/caller.ts';
import type { Operator } from '#api/guard/session.ts';

/**
 * Requests an action from the worker that owns the account and writes its audit row, both in the caller's transaction. The
 * commit notifies the worker. Returns the action's id.
 */
export async function requestWorkerAction(
  transaction: Transaction,
  who: { readonly operator: Operator; readonly caller: Caller },
  request: Omit<ActionRequest, 'requestedBy'>,
): Promise<string> {
  const { accountId, profileId, symbol, kind, payload } = request;
  const { id: actionId, isNew } = await requestAction(transaction, { ...request, requestedBy: who.operator.user.id });
  if (isNew === null)
    throw new ApiProblem('conflict', `The request id ${actionId} belongs to another request: use a new one.`);
  if (!isNew) return actionId;
  const subject = profileId === undefined ? `account:${accountId}` : [profileId, symbol].filter(Boolean).join(':');
  await auditChange(transaction, who, { action: kind, subject, after: { actionId, payload } });
  return actionId;
}
