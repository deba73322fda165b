import type { Transaction } from '#storage/postgres/database.ts';
import { type ActionRequest, requestAction } from '#storage/trading/operator-actions.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import type { Operator } from '#api/guard/session.ts';

/**
 * Requests an action from the worker that owns the account, in the transaction of a change. The commit notifies the worker.
 * Returns the change with the action's id; a request that is already stored changes nothing.
 */
export async function requestWorkerAction(
  transaction: Transaction,
  operator: Operator,
  request: Omit<ActionRequest, 'requestedBy'>,
) {
  const { accountId, profileId, symbol, payload } = request;
  const { id: actionId, isNew } = await requestAction(transaction, { ...request, requestedBy: operator.user.id });
  if (isNew === null)
    throw new ApiProblem('conflict', `The request id ${actionId} belongs to another request: use a new one.`);
  const answer = { actionId };
  if (!isNew) return { answer, unchanged: true } as const;
  const subject = profileId === undefined ? `account:${accountId}` : [profileId, symbol].filter(Boolean).join(':');
  return { answer, subject, after: { actionId, payload } };
}
