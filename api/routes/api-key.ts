import { deleteApiKey as removeKey, otherKeyOwner, saveApiKey as storeKey } from '#storage/operator/accounts.ts';
import { announce } from '#api/frame/bus.ts';
import { deleteApiKey, readApiKey, saveApiKey, verifyApiKey } from '#api/contract/accounts.ts';
import type { Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { requireAccount } from '#api/require.ts';

const noKey = (accountId: string): ApiProblem =>
  new ApiProblem('not_found', `The account ${accountId} has no API key.`);

const keyTaken = (owner: string): ApiProblem =>
  new ApiProblem(
    'conflict',
    `The account "${owner}" already has this API key: two accounts with one wallet would sell each other's coins. Create another key for this account, on a sub-account of the exchange.`,
    { errors: [{ path: 'apiKey', message: `is the key of the account "${owner}"` }] },
  );

export function mountApiKey({ context, handle }: Routes): void {
  const { queue } = context;

  handle(readApiKey, async ({ account: { apiKey } }) => apiKey);

  handle(saveApiKey, async ({ operator, commit, params, body }) => {
    const saved = await commit(async ({ transaction, account: { id: accountId } }) => {
      const owner = await otherKeyOwner(transaction, { accountId, apiKey: body.apiKey });
      if (owner !== undefined) throw keyTaken(owner);
      await storeKey(transaction, { accountId, ...body, status: null, checkedAt: null });
      await queue.enqueueIn(transaction, { name: 'verify-api-key', data: { accountId } });
      const { apiKey } = await requireAccount(transaction, operator, accountId);
      if (apiKey === null) throw noKey(accountId);
      return { answer: apiKey, after: { label: apiKey.label, last4: apiKey.last4 } };
    });
    await announce(context, { command: 'accounts-changed', events: [{ topic: 'account', id: params.id, data: {} }] });
    return saved;
  });

  handle(deleteApiKey, async ({ commit, params }) => {
    await commit(async ({ transaction, account: { id, apiKey } }) => {
      if (apiKey === null || !(await removeKey(transaction, id))) throw noKey(id);
      return { answer: undefined, before: { label: apiKey.label, last4: apiKey.last4 } };
    });
    await announce(context, { command: 'accounts-changed', events: [{ topic: 'account', id: params.id, data: {} }] });
    return undefined;
  });

  handle(verifyApiKey, async ({ account: { id: accountId, apiKey } }) => {
    if (apiKey === null) throw noKey(accountId);
    const jobId = await queue.enqueue('verify-api-key', { accountId });
    if (jobId === undefined) throw new Error('The queue refused a job without a duplicate.');
    return { jobId };
  });
}
