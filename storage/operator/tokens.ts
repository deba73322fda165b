import { type AccountId, newId, type TokenId, type UserId } from '#core/ids.ts';
import type { TokenScope } from '#core/installation/token-scopes.ts';
import type { Reader, Writer } from '#storage/postgres/database.ts';
import type { User } from './users.ts';

interface NewToken {
  readonly userId: UserId;
  readonly name: string;
  readonly tokenHash: Buffer;
  readonly hint: string;
  readonly scopes: readonly TokenScope[];
  /** Null: every account. */
  readonly accountIds: readonly AccountId[] | null;
  readonly at: Date;
  readonly expiresAt: Date;
  /** Quote that approved proposals may spend; null: they may not buy. */
  readonly budget: TokenBudget | null;
  readonly maxOpenProposals: number;
}

/** Amounts of quote, as decimal text. */
interface TokenBudget {
  readonly asset: string;
  readonly perOrder: string;
  readonly perDay: string;
}

export interface StoredToken {
  readonly id: TokenId;
  readonly name: string;
  readonly scopes: TokenScope[];
  readonly accountIds: AccountId[] | null;
  readonly lastUsedAt: Date | null;
  readonly user: User;
}

export async function createToken(database: Writer, token: NewToken): Promise<TokenId> {
  const id = newId<TokenId>(token.at.getTime());
  await database
    .insertInto('api_tokens')
    .values({
      id,
      user_id: token.userId,
      name: token.name,
      token_hash: token.tokenHash,
      hint: token.hint,
      scopes: [...token.scopes],
      account_ids: token.accountIds === null ? null : [...token.accountIds],
      created_at: token.at,
      expires_at: token.expiresAt,
      budget_asset: token.budget?.asset ?? null,
      budget_order: token.budget?.perOrder ?? null,
      budget_day: token.budget?.perDay ?? null,
      max_open_proposals: token.maxOpenProposals,
    })
    .execute();
  return id;
}

/** The token with this hash, if it is neither expired at `at` nor revoked. */
export async function readToken(database: Reader, tokenHash: Buffer, at: Date): Promise<StoredToken | undefined> {
  const row = await database
    .selectFrom('api_tokens')
    .innerJoin('users', 'users.id', 'api_tokens.user_id')
    .select(['api_tokens.id', 'api_tokens.name', 'api_tokens.scopes', 'api_tokens.account_ids'])
    .select(['api_tokens.last_used_at', 'users.id as user_id', 'users.email', 'users.password_hash', 'users.timezone'])
    .where('api_tokens.token_hash', '=', tokenHash)
    .where('api_tokens.expires_at', '>', at)
    .where('api_tokens.revoked_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { id, name, scopes, account_ids: accountIds, last_used_at: lastUsedAt } = row;
  const user = { id: row.user_id, email: row.email, passwordHash: row.password_hash, timezone: row.timezone };
  return { id, name, scopes, accountIds, lastUsedAt, user };
}

/** Records a use; the time never moves back. */
export async function touchToken(database: Writer, id: TokenId, use: { at: Date; ip: string }): Promise<void> {
  await database
    .updateTable('api_tokens')
    .set((row) => ({ last_used_at: row.fn<Date>('greatest', ['last_used_at', row.val(use.at)]), last_ip: use.ip }))
    .where('id', '=', id)
    .execute();
}

/** All tokens of a user, newest first: expired and revoked ones too. */
export const listTokens = (database: Reader, userId: UserId) =>
  database
    .selectFrom('api_tokens')
    .select(['id', 'name', 'hint', 'scopes', 'account_ids as accountIds', 'created_at as createdAt'])
    .select(['expires_at as expiresAt', 'last_used_at as lastUsedAt', 'last_ip as lastIp', 'revoked_at as revokedAt'])
    .select(['budget_asset as asset', 'budget_order as perOrder', 'budget_day as perDay'])
    .select('max_open_proposals as maxOpenProposals')
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();

/** Number of tokens that can be used at `at`. */
export async function countUsableTokens(database: Reader, userId: UserId, at: Date): Promise<number> {
  const { count } = await database
    .selectFrom('api_tokens')
    .select((row) => row.fn.countAll<string>().as('count'))
    .where('user_id', '=', userId)
    .where('expires_at', '>', at)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Revokes one token (`id`), or all that are not revoked yet; returns those that it revoked. */
export const revokeTokens = (database: Writer, userId: UserId, { id, at }: { id?: TokenId; at: Date }) =>
  database
    .updateTable('api_tokens')
    .set({ revoked_at: at })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .$if(id !== undefined, (update) => update.where('id', '=', id ?? null))
    .returning(['id', 'name'])
    .execute();
