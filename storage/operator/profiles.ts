import { sql } from 'kysely';
import { haltLockText } from '#core/account/halts.ts';
import { type AccountId, newId, type ProfileId, type UserId } from '#core/ids.ts';
import type { Reader, Writer } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';

export interface ProfileView {
  readonly id: ProfileId;
  readonly accountId: AccountId;
  readonly name: string;
  readonly strategyName: string;
  /** As stored: not parsed and not rewritten here. */
  readonly config: unknown;
  readonly enabled: boolean;
  readonly symbols: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const selectProfile = (database: Reader, userId: UserId) =>
  database
    .selectFrom('profiles')
    .innerJoin('accounts', 'accounts.id', 'profiles.account_id')
    .select(['profiles.id', 'profiles.account_id as accountId', 'profiles.name', 'strategy_name as strategyName'])
    .select(['config', 'enabled', 'profiles.created_at as createdAt', 'profiles.updated_at as updatedAt'])
    .select((row) =>
      sql<string[]>`array(${row
        .selectFrom('profile_symbols')
        .select('symbol')
        .whereRef('profile_symbols.profile_id', '=', 'profiles.id')
        .orderBy('created_at')
        .orderBy('symbol')})`.as('symbols'),
    )
    .where('accounts.user_id', '=', userId);

export const listProfiles = (database: Reader, userId: UserId): Promise<ProfileView[]> =>
  selectProfile(database, userId).orderBy('profiles.created_at').orderBy('profiles.id').execute();

export const readProfile = (database: Reader, userId: UserId, id: ProfileId): Promise<ProfileView | undefined> =>
  selectProfile(database, userId).where('profiles.id', '=', id).executeTakeFirst();

/** Locks the profile against other changes and returns its current row. */
export async function lockProfile(database: Writer, userId: UserId, id: ProfileId): Promise<ProfileView | undefined> {
  await database.selectFrom('profiles').select('id').where('id', '=', id).forNoKeyUpdate().execute();
  return readProfile(database, userId, id);
}

/** Blocks the intents of a profile until the transaction ends. Call it before any row lock. */
export async function blockIntents(database: Writer, id: ProfileId): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${haltLockText('profile', id)}, 0))`.execute(database);
}

interface NewProfile {
  readonly accountId: AccountId;
  readonly name: string;
  readonly strategyName: string;
  readonly config: unknown;
  readonly enabled: boolean;
}

/** Undefined when the account already has a profile of that name. */
export async function createProfile(database: Writer, profile: NewProfile): Promise<ProfileId | undefined> {
  const row = await database
    .insertInto('profiles')
    .values({
      id: newId<ProfileId>(),
      account_id: profile.accountId,
      name: profile.name,
      strategy_name: profile.strategyName,
      config: jsonText(profile.config),
      enabled: profile.enabled,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

export async function countProfiles(database: Reader, accountId: AccountId): Promise<number> {
  const { count } = await database
    .selectFrom('profiles')
    .select((row) => row.fn.countAll<string>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function isProfileNameTaken(
  database: Reader,
  name: { accountId: AccountId; name: string; except: ProfileId },
): Promise<boolean> {
  const row = await database
    .selectFrom('profiles')
    .select('id')
    .where('account_id', '=', name.accountId)
    .where('name', '=', name.name)
    .where('id', '!=', name.except)
    .executeTakeFirst();
  return row !== undefined;
}

export async function saveProfile(
  database: Writer,
  id: ProfileId,
  change: { name?: string; config?: unknown; enabled?: boolean },
): Promise<void> {
  await database
    .updateTable('profiles')
    .set({
      updated_at: sql<Date>`now()`,
      ...(change.name === undefined ? {} : { name: change.name }),
      ...(change.config === undefined ? {} : { config: jsonText(change.config) }),
      ...(change.enabled === undefined ? {} : { enabled: change.enabled }),
    })
    .where('id', '=', id)
    .execute();
}

/** Deletes its coins and logs too; orders, fills and ledger stay as history of the account. */
export async function deleteProfile(database: Writer, id: ProfileId): Promise<void> {
  await database.deleteFrom('profiles').where('id', '=', id).execute();
}

/** End of the profile's deep capture, even when it is in the past. */
export const readCaptureUntil = async (database: Reader, id: ProfileId): Promise<Date | null> => {
  const row = await database.selectFrom('profiles').select('capture_until').where('id', '=', id).executeTakeFirst();
  return row?.capture_until ?? null;
};

export const saveCaptureUntil = (database: Writer, id: ProfileId, until: Date | null): Promise<unknown> =>
  database.updateTable('profiles').set({ capture_until: until }).where('id', '=', id).execute();

export const accountOfProfile = async (database: Reader, id: ProfileId): Promise<AccountId | undefined> =>
  (await database.selectFrom('profiles').select('account_id').where('id', '=', id).executeTakeFirst())?.account_id;
