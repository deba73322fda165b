import {
  countUsableTokens,
  createToken as insertToken,
  listTokens as selectTokens,
  revokeTokens,
} from '#storage/operator/tokens.ts';
import { createToken, listTokens, revokeAllTokens, revokeToken } from '#api/contract/tokens.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { tokenHash } from '#api/guard/session.ts';
import { newToken } from '#api/guard/token.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { requireAccount } from '#api/require.ts';

const DAY_MS = 86_400_000;
const MAX_USABLE = 100;
const HINT_CHARS = 6;

async function create(context: ApiContext, { operator, commit, body }: Incoming<typeof createToken>) {
  const { name, days, budget = null, maxOpenProposals } = body;
  const token = newToken();
  const at = context.now();
  const expiresAt = new Date(at.getTime() + days * DAY_MS);
  const hint = token.slice(-HINT_CHARS);
  const scopes = [...new Set(body.scopes)];
  const accountIds = body.accountIds === undefined ? null : [...new Set(body.accountIds)];
  const userId = operator.user.id;
  const id = await commit(async ({ transaction }) => {
    if ((await countUsableTokens(transaction, userId, at)) >= MAX_USABLE)
      throw new ApiProblem('conflict', `There are ${MAX_USABLE} tokens: revoke one that is not needed.`);
    for (const accountId of accountIds ?? []) await requireAccount(transaction, operator, accountId);
    const stored = { userId, name, scopes, accountIds, hint, at, expiresAt, budget, maxOpenProposals };
    const created = await insertToken(transaction, { ...stored, tokenHash: tokenHash(token) });
    const after = { name, hint, scopes, accountIds, expiresAt, budget, maxOpenProposals };
    return { answer: created, subject: created, after };
  });
  return { id, token, expiresAt };
}

export function mountTokens({ context, handle }: Routes): void {
  handle(listTokens, async ({ operator }) => {
    const rows = await selectTokens(context.database.kysely, operator.user.id);
    return {
      tokens: rows.map(({ asset, perOrder, perDay, ...row }) => ({
        ...row,
        budget: asset === null || perOrder === null || perDay === null ? null : { asset, perOrder, perDay },
      })),
    };
  });

  handle(createToken, (incoming) => create(context, incoming));

  handle(revokeToken, async ({ operator, commit, params: { id } }) => {
    await commit(async ({ transaction }) => {
      const [revoked] = await revokeTokens(transaction, operator.user.id, { id, at: context.now() });
      if (revoked === undefined) throw new ApiProblem('not_found', `There is no token ${id} that could be revoked.`);
      return { answer: undefined, subject: id, before: { name: revoked.name } };
    });
    return undefined;
  });

  handle(revokeAllTokens, ({ operator, commit }) =>
    commit(async ({ transaction }) => {
      const revoked = await revokeTokens(transaction, operator.user.id, { at: context.now() });
      return { answer: { revoked: revoked.length }, subject: operator.user.id, before: revoked };
    }),
  );
}
