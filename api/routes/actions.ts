import { readAction as readStored } from '#storage/trading/operator-actions.ts';
import { readAction } from '#api/contract/actions.ts';
import type { Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';

export function mountActions({ context, handle }: Routes): void {
  handle(readAction, async ({ account, params }) => {
    const action = await readStored(context.database.kysely, account.id, params.actionId);
    if (action === undefined) throw new ApiProblem('not_found', `There is no action ${params.actionId}.`);
    return action;
  });
}
