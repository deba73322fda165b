import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readAction } from '#api/contract/actions.ts';
import { requestAction } from '#storage/operator-actions.ts';
import { openStack, type Stack } from './stack.ts';
import { until } from './until.ts';

let stack: Stack;
before(async () => {
  stack = await openStack({ source: { kind: 'synthetic' } });
});
after(() => stack[Symbol.asyncDispose]());

async function ask(): Promise<string> {
  const { accountId, database } = stack;
  const { user_id } = await database.kysely.selectFrom('accounts').select('user_id').executeTakeFirstOrThrow();
  const request = { accountId, kind: 'wave', requestedBy: user_id };
  return database.transaction((transaction) => requestAction(transaction, request));
}

test('the owner of the account answers what it is asked, also what was asked while no worker ran', async () => {
  const first = await ask();
  const outcome = (actionId: string) =>
    until('the outcome', async () => {
      const action = await stack.call(readAction, { params: { id: stack.accountId, actionId } });
      return action.finishedAt !== null && action;
    });
  assert.match((await outcome(first)).reason ?? '', /does not know how to do "wave"/);
  await stack.stopWorker();
  const second = await ask();
  await stack.startWorker();
  assert.equal((await outcome(second)).state, 'refused');
});
