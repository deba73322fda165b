import {
  accountExposure,
  createAccount as insertAccount,
  deleteAccount as removeAccount,
  isAccountNameTaken,
  listAccounts as selectAccounts,
  lockAccount,
  renameAccount as updateName,
} from '#storage/operator/accounts.ts';
import { confirmReset as clearReset } from '#storage/trading/epochs.ts';
import { auditChange } from '#api/audit.ts';
import { announce } from '#api/frame/bus.ts';
import {
  confirmReset,
  createAccount,
  deleteAccount,
  listAccounts,
  readAccount,
  renameAccount,
} from '#api/contract/accounts.ts';
import type { Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { requireAccount } from '#api/require.ts';
import { accountView } from '#api/views/views.ts';

const nameTaken = (name: string): ApiProblem =>
  new ApiProblem('conflict', `An account named "${name}" already exists.`, {
    errors: [{ path: 'name', message: 'is the name of another account' }],
  });

export function mountAccounts(routes: Routes): void {
  const { context, handle } = routes;
  const { database } = context;

  handle(listAccounts, async ({ operator }) => ({
    accounts: (await selectAccounts(database.kysely, operator.user.id)).map(accountView),
  }));

  handle(readAccount, async ({ operator, params }) =>
    accountView(await requireAccount(database.kysely, operator, params.id)),
  );

  handle(createAccount, async ({ operator, caller, body }) => {
    const created = await database.transaction(async (transaction) => {
      const id = await insertAccount(transaction, { userId: operator.user.id, ...body });
      if (id === undefined) throw nameTaken(body.name);
      await auditChange(transaction, { operator, caller }, { action: 'account.create', subject: id, after: body });
      return requireAccount(transaction, operator, id);
    });
    await announce(context, { command: 'accounts-changed', events: [{ topic: 'account', id: created.id, data: {} }] });
    return accountView(created);
  });

  mountAccountChanges(routes);
}

function mountAccountChanges({ context, handle }: Routes): void {
  const { database } = context;

  handle(renameAccount, async ({ operator, caller, params, body }) => {
    const renamed = await database.transaction(async (transaction) => {
      await lockAccount(transaction, params.id, 'change');
      const before = await requireAccount(transaction, operator, params.id);
      const userId = operator.user.id;
      if (await isAccountNameTaken(transaction, { userId, name: body.name, except: params.id }))
        throw nameTaken(body.name);
      await updateName(transaction, params.id, body.name);
      const change = { before: { name: before.name }, after: { name: body.name } };
      await auditChange(transaction, { operator, caller }, { action: 'account.rename', subject: params.id, ...change });
      return { ...before, name: body.name };
    });
    await announce(context, { command: 'accounts-changed', events: [{ topic: 'account', id: renamed.id, data: {} }] });
    return accountView(renamed);
  });

  handle(confirmReset, async ({ operator, caller, params }) => {
    const confirmed = await database.transaction(async (transaction) => {
      const found = await requireAccount(transaction, operator, params.id);
      const at = await clearReset(transaction, params.id);
      if (at === null) throw new ApiProblem('conflict', `The account "${found.name}" has no unconfirmed reset.`);
      const before = { resetAt: at.toISOString(), epoch: found.epoch };
      await auditChange(
        transaction,
        { operator, caller },
        { action: 'account.confirm-reset', subject: found.id, before },
      );
      return { ...found, resetAt: null };
    });
    const { id } = confirmed;
    await announce(context, { command: 'halts-changed', events: [{ topic: 'account', id, data: {} }] });
    return accountView(confirmed);
  });

  handle(deleteAccount, async ({ operator, caller, params }) => {
    await database.transaction(async (transaction) => {
      await lockAccount(transaction, params.id, 'delete');
      const { id, name, exchangeMode, endpoint } = await requireAccount(transaction, operator, params.id);
      const { profiles, liveOrders } = await accountExposure(transaction, id);
      if (profiles > 0 || liveOrders > 0) {
        throw new ApiProblem(
          'conflict',
          `The account "${name}" has ${profiles} profiles and ${liveOrders} live orders: delete the profiles first.`,
        );
      }
      await removeAccount(transaction, id);
      const before = { name, exchangeMode, endpoint };
      await auditChange(transaction, { operator, caller }, { action: 'account.delete', subject: id, before });
    });
    await announce(context, { command: 'accounts-changed', events: [{ topic: 'account', id: params.id, data: {} }] });
    return undefined;
  });
}
