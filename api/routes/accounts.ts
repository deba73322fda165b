import {
  accountExposure,
  createAccount as insertAccount,
  deleteAccount as removeAccount,
  isAccountNameTaken,
  listAccounts as selectAccounts,
  renameAccount as updateName,
} from '#storage/operator/accounts.ts';
import { confirmReset as clearReset } from '#storage/trading/epochs.ts';
import { announce } from '#api/frame/bus.ts';
import {
  confirmReset,
  createAccount,
  deleteAccount,
  listAccounts,
  readAccount,
  renameAccount,
} from '#api/contract/accounts.ts';
import { reachesAccount } from '#api/guard/token.ts';
import type { Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { requireAccount } from '#api/require.ts';

const nameTaken = (name: string): ApiProblem =>
  new ApiProblem('conflict', `An account named "${name}" already exists.`, {
    errors: [{ path: 'name', message: 'is the name of another account' }],
  });

export function mountAccounts({ context, handle }: Routes): void {
  const { kysely } = context.database;

  handle(listAccounts, async ({ operator }) => ({
    accounts: (await selectAccounts(kysely, operator.user.id)).filter(({ id }) => reachesAccount(operator, id)),
  }));

  handle(readAccount, async ({ account }) => account);

  handle(createAccount, async ({ operator, commit, body }) => {
    const created = await commit(async ({ transaction }) => {
      const id = await insertAccount(transaction, { userId: operator.user.id, ...body });
      if (id === undefined) throw nameTaken(body.name);
      return { answer: await requireAccount(transaction, operator, id), subject: id, after: body };
    });
    await announce(context, { command: 'accounts-changed', events: [{ topic: 'account', id: created.id, data: {} }] });
    return created;
  });

  handle(renameAccount, async ({ operator, commit, body: { name } }) => {
    const renamed = await commit(async ({ transaction, account }) => {
      const userId = operator.user.id;
      if (await isAccountNameTaken(transaction, { userId, name, except: account.id })) throw nameTaken(name);
      await updateName(transaction, account.id, name);
      return { answer: { ...account, name }, before: { name: account.name }, after: { name } };
    });
    await announce(context, { command: 'accounts-changed', events: [{ topic: 'account', id: renamed.id, data: {} }] });
    return renamed;
  });

  handle(confirmReset, async ({ commit }) => {
    const confirmed = await commit(async ({ transaction, account }) => {
      const at = await clearReset(transaction, account.id);
      if (at === null) throw new ApiProblem('conflict', `The account "${account.name}" has no unconfirmed reset.`);
      const before = { resetAt: at, epoch: account.epoch };
      return { answer: { ...account, resetAt: null }, before };
    });
    const { id } = confirmed;
    await announce(context, { command: 'halts-changed', events: [{ topic: 'account', id, data: {} }] });
    return confirmed;
  });

  handle(deleteAccount, async ({ commit, params }) => {
    await commit(async ({ transaction, account: { id, name, exchangeMode, endpoint } }) => {
      const { profiles, liveOrders } = await accountExposure(transaction, id);
      if (profiles > 0 || liveOrders > 0) {
        throw new ApiProblem(
          'conflict',
          `The account "${name}" has ${profiles} profiles and ${liveOrders} live orders: delete the profiles first.`,
        );
      }
      await removeAccount(transaction, id);
      return { answer: undefined, before: { name, exchangeMode, endpoint } };
    });
    await announce(context, { command: 'accounts-changed', events: [{ topic: 'account', id: params.id, data: {} }] });
    return undefined;
  });
}
