import { deleteApiKey as removeKey, otherKeyOwner, saveApiKey as storeKey } from '#storage/operator/accounts.ts';
import { auditChange } from '#api/audit.ts';
import { announce } from '#api/frame/bus.ts';
import { deleteApiKey, readApiKey, saveApiKey, verifyApiKey } from '#api/contract/accounts.ts';
import type { Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { requireAccount } from '#api/require.ts';
import { keyView } from '#api/views/views.ts';

const noKey = (accountId: string): ApiProblem =>
  new ApiProblem('not_found', `The account ${accountId} has no API key.`);

const keyTaken = (owner: string): ApiProblem =>
  new ApiProblem(
    'conflict',
    `The account "${owner}" already has this API key: two accounts with one wallet would sell each other's coins. Create another key for this account, on a sub-account of the exchange.`,
    { errors: [{ path: 'apiKey', message: `is the key of the account "${owner}"` }] },
  );

export function mountApiKey({ context, handle }: Routes): void {
  const { database, queue } = context;

  handle(readApiKey, async ({ operator, params }) => {
    const { apiKey } = await requireAccount(database.kysely, operator, params.id);
    return apiKey === null ? null : keyView(apiKey);
  });

  handle(saveApiKey, async ({ operator, caller, params, body }) => {
    const saved = await database.transaction(async (transaction) => {
      const { id: accountId } = await requireAccount(transaction, operator, params.id);
      const owner = await otherKeyOwner(transaction, { accountId, apiKey: body.apiKey });
      if (owner !== undefined) throw keyTaken(owner);
      await storeKey(transaction, { accountId, ...body, status: null, checkedAt: null });
      await queue.enqueueIn(transaction, { name: 'verify-api-key', data: { accountId } });
      const { apiKey } = await requireAccount(transaction, operator, accountId);
      if (apiKey === null) throw noKey(accountId);
      const after = { label: apiKey.label, last4: apiKey.last4 };
      await auditChange(transaction, { operator, caller }, { action: 'api-key.save', subject: accountId, after });
      return apiKey;
    });
    await announce(context, { command: 'accounts-changed', events: [{ topic: 'account', id: params.id, data: {} }] });
    return keyView(saved);
  });

  handle(deleteApiKey, async ({ operator, caller, params }) => {
    await database.transaction(async (transaction) => {
      const { id: accountId, apiKey } = await requireAccount(transaction, operator, params.id);
      if (apiKey === null || !(await removeKey(transaction, accountId))) throw noKey(accountId);
      const before = { label: apiKey.label, last4: apiKey.last4 };
      await auditChange(transaction, { operator, caller }, { action: 'api-key.delete', subject: accountId, before });
    });
    await announce(context, { command: 'accounts-changed', events: [{ topic: 'account', id: params.id, data: {} }] });
    return undefined;
  });

  handle(verifyApiKey, async ({ operator, params }) => {
    const { id: accountId, apiKey } = await requireAccount(database.kysely, operator, params.id);
    if (apiKey === null) throw noKey(accountId);
    const jobId = await queue.enqueue('verify-api-key', { accountId });
    if (jobId === undefined) throw new Error('The queue refused a job without a duplicate.');
    return { jobId };
  });
}
