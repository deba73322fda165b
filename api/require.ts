import { type Account, venueOf } from '#core/account/account.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { type AccountView, readAccount } from '#storage/operator/accounts.ts';
import type { Reader } from '#storage/postgres/database.ts';
import { type ProfileView, readProfile } from '#storage/operator/profiles.ts';
import type { Operator } from '#api/guard/session.ts';
import { ApiProblem } from '#api/frame/problem.ts';

/** The operator's own account; an account of another user answers 404 too. */
export async function requireAccount(database: Reader, operator: Operator, id: AccountId): Promise<AccountView> {
  const account = await readAccount(database, operator.user.id, id);
  if (account === undefined) throw new ApiProblem('not_found', `There is no account ${id}.`);
  return account;
}

export async function requireProfile(database: Reader, operator: Operator, id: ProfileId): Promise<ProfileView> {
  return requireFoundProfile(await readProfile(database, operator.user.id, id), id);
}

export function requireFoundProfile(profile: ProfileView | undefined, id: ProfileId): ProfileView {
  if (profile === undefined) throw new ApiProblem('not_found', `There is no profile ${id}.`);
  return profile;
}

export const notBound = (profileId: ProfileId, symbol: string): ApiProblem =>
  new ApiProblem('not_found', `The coin ${symbol} is not bound to the profile ${profileId}.`);

export const venueName = (account: Pick<Account, 'exchangeMode' | 'endpoint'>): string =>
  account.endpoint === 'paper' ? 'the paper exchange' : `the exchange (${venueOf(account)})`;
