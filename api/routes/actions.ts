import { readAction as readStored } from '#storage/trading/operator-actions.ts';
import { readAction } from '#api/contract/actions.ts';
import type { Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { requireAccount } from '#api/require.ts';

export function mountActions({ context, handle }: Routes): void {
  const { kysely } = context.database;
  handle(readAction, async ({ operator, params }) => {
    const { id: accountId } = await requireAccount(kysely, operator, params.id);
    const action = await readStored(kysely, accountId, params.actionId);
    if (action === undefined) throw new ApiProblem('not_found', `There is no action ${params.actionId}.`);
    const { requestedAt, expiresAt, finishedAt } = action;
    return {
      ...action,
      requestedAt: requestedAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
      finishedAt: finishedAt?.toISOString() ?? null,
    };
  });
}
