import { type AccountId, type ProfileId, readId } from '#core/ids.ts';
import { isObject } from '#core/merge.ts';
import { type AccountView, lockAccount } from '#storage/operator/accounts.ts';
import { type BoundSymbol, listBoundSymbols } from '#storage/operator/profile-symbols.ts';
import { blockIntents, lockProfile, type ProfileView } from '#storage/operator/profiles.ts';
import type { Reader, Transaction } from '#storage/postgres/database.ts';
import type { Operation } from '#api/contract/operation.ts';
import type { Operator } from '#api/guard/session.ts';
import { notBound, requireAccount, requireFoundProfile, requireProfile } from './require.ts';

/** The records that the operation of a request declares as its subject. */
export interface Subject {
  readonly account?: AccountView;
  readonly profile?: ProfileView;
  /** The coin as its profile has bound it. */
  readonly bound?: BoundSymbol;
}

export interface SubjectRequest {
  readonly operation: Operation;
  /** Null for an operation without a session, which has no scope. */
  readonly operator: Operator | null;
  readonly params: unknown;
  readonly query: unknown;
}

/** The id of the subject: `:id` of the path, else the field of the query. */
function idOf<Id extends string>({ operation, params, query }: SubjectRequest, field: string): Id {
  const text = isObject(params) && 'id' in params ? params['id'] : isObject(query) ? query[field] : undefined;
  const id = readId<Id>(String(text));
  if (id === undefined) throw new Error(`${operation.path} names no ${field}.`);
  return id;
}

/** Throws 404 for a subject that the operator does not own. */
export async function readSubject(database: Reader, request: SubjectRequest): Promise<Subject> {
  const { operation, operator } = request;
  if (operation.scope === undefined || operator === null) return {};
  if (operation.scope === 'account')
    return { account: await requireAccount(database, operator, idOf<AccountId>(request, 'accountId')) };
  const profile = await requireProfile(database, operator, idOf<ProfileId>(request, 'profileId'));
  return operation.scope === 'coin'
    ? { profile, bound: await requireBound(database, profile.id, request) }
    : { profile };
}

/** Reads the account of the profile of a request. */
export const accountReader =
  (database: Reader, { operator }: SubjectRequest, { profile }: Subject) =>
  async (): Promise<AccountView> => {
    if (operator === null || profile === undefined) throw new Error('The request is not about a profile.');
    return requireAccount(database, operator, profile.accountId);
  };

/** Takes the locks of the operation, then reads the subject again: it stays as it is until the transaction ends. */
export async function lockSubject(
  transaction: Transaction,
  request: SubjectRequest,
  { account, profile }: Subject,
): Promise<Subject> {
  const { operation, operator } = request;
  const { scope, locks = ['profile'] } = operation;
  const accountId = account?.id ?? profile?.accountId;
  if (operator === null || accountId === undefined) return {};
  if (locks.includes('account')) await lockAccount(transaction, accountId, 'change');
  if (locks.includes('account-end')) await lockAccount(transaction, accountId, 'delete');
  if (profile === undefined) return { account: await requireAccount(transaction, operator, accountId) };
  const { id } = profile;
  if (locks.includes('intents')) await blockIntents(transaction, id);
  if (!locks.includes('profile')) return { profile };
  const locked = { profile: requireFoundProfile(await lockProfile(transaction, operator.user.id, id), id) };
  return scope === 'coin' ? { ...locked, bound: await requireBound(transaction, id, request) } : locked;
}

const symbolOf = (params: unknown): string => String(isObject(params) ? params['symbol'] : '');

async function requireBound(database: Reader, profileId: ProfileId, { params }: SubjectRequest): Promise<BoundSymbol> {
  const symbol = symbolOf(params);
  const bound = (await listBoundSymbols(database, profileId)).find((coin) => coin.symbol === symbol);
  if (bound === undefined) throw notBound(profileId, symbol);
  return bound;
}

/** How an audit row names the subject: an account, a profile, a coin as `<profile>:<symbol>`, else the family of the action. */
export function subjectText(
  { operation, params }: SubjectRequest,
  { account, profile }: Subject,
  action: string,
): string {
  if (account !== undefined) return account.id;
  if (profile === undefined) return action.slice(0, action.indexOf('.'));
  return operation.scope === 'coin' ? `${profile.id}:${symbolOf(params)}` : profile.id;
}
