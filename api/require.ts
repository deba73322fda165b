import { type Account, venueOf } from '#core/account/account.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { type AccountView, readAccount } from '#storage/operator/accounts.ts';
import type { Reader } from '#storage/postgres/database.ts';
import { type ProfileView, readProfile } from '#storage/operator/profiles.ts';
import type { Operator } from '#api/guard/session.ts';
import { reachesAccount } from '#api/guard/token.ts';
import { ApiProblem } from '#api/frame/problem.ts';

/** The operator's own account. An account of another user answers 404 too, as does one that the token may not reach. */
export async function requireAccount(database: Reader, operator: Operator, id: AccountId): Promise<AccountView> {
  const account = await readAccount(database, operator.user.id, id);
  if (account === undefined || !reachesAccount(operator, id))
    throw new ApiProblem('not_found', `There is no account ${id}.`);
  return account;
}

export async function requireProfile(database: Reader, operator: Operator, id: ProfileId): Promise<ProfileView> {
  const profile = requireFoundProfile(await readProfile(database, operator.user.id, id), id);
  return requireFoundProfile(reachesAccount(operator, profile.accountId) ? profile : undefined, id);
}

export function requireFoundProfile(profile: ProfileView | undefined, id: ProfileId): ProfileView {
  if (profile === undefined) throw new ApiProblem('not_found', `There is no profile ${id}.`);
  return profile;
}

export const notBound = (profileId: ProfileId, symbol: string): ApiProblem =>
  new ApiProblem('not_found', `The coin ${symbol} is not bound to the profile ${profileId}.`);

export const venueName = (account: Pick<Account, 'exchangeMode' | 'endpoint'>): string =>
  account.endpoint === 'paper' ? 'the paper exchange' : `the exchange (${venueOf(account)})`;
