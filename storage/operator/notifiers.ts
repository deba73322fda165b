import { z } from 'zod';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { type NotifierName, type NotifierRules, notifierRules } from '#core/installation/notify.ts';
import type { Reader, Writer } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';

const texts = z.record(z.string(), z.string());
const stored = z.object({ settings: texts, rules: notifierRules });
type Texts = z.output<typeof texts>;

export interface StoredNotifier {
  readonly profileId: ProfileId;
  readonly provider: NotifierName;
  readonly enabled: boolean;
  readonly settings: Texts;
  readonly secrets: Texts;
  readonly rules: NotifierRules;
  readonly updatedAt: Date;
}

const selectNotifiers = (database: Reader) =>
  database
    .selectFrom('profile_notifiers')
    .innerJoin('profiles', 'profiles.id', 'profile_notifiers.profile_id')
    .select(['profile_id', 'provider', 'profile_notifiers.enabled', 'profile_notifiers.config', 'secrets'])
    .select('profile_notifiers.updated_at as updatedAt')
    .orderBy('profile_id')
    .orderBy('provider');

type Row = Awaited<ReturnType<ReturnType<typeof selectNotifiers>['execute']>>[number];

function viewOf({ profile_id, config, secrets, ...row }: Row): StoredNotifier {
  return { profileId: profile_id, ...row, ...stored.parse(config), secrets: texts.parse(secrets) };
}

/** The notifiers of a profile, or those of every profile of an account; without either, all. */
export async function listNotifiers(
  database: Reader,
  of: { readonly profileId?: ProfileId; readonly accountId?: AccountId } = {},
): Promise<StoredNotifier[]> {
  let query = selectNotifiers(database);
  if (of.profileId !== undefined) query = query.where('profile_id', '=', of.profileId);
  if (of.accountId !== undefined) query = query.where('profiles.account_id', '=', of.accountId);
  return (await query.execute()).map(viewOf);
}

export const readNotifier = async (
  database: Reader,
  profileId: ProfileId,
  provider: NotifierName,
): Promise<StoredNotifier | undefined> =>
  (await listNotifiers(database, { profileId })).find((notifier) => notifier.provider === provider);

export async function saveNotifier(database: Writer, notifier: Omit<StoredNotifier, 'updatedAt'>): Promise<void> {
  const { profileId, provider, enabled, settings, rules, secrets } = notifier;
  const row = { enabled, config: jsonText({ settings, rules }), secrets: jsonText(secrets), updated_at: new Date() };
  await database
    .insertInto('profile_notifiers')
    .values({ profile_id: profileId, provider, ...row })
    .onConflict((conflict) => conflict.columns(['profile_id', 'provider']).doUpdateSet(row))
    .execute();
}

export async function deleteNotifier(database: Writer, profileId: ProfileId, provider: NotifierName): Promise<void> {
  await database
    .deleteFrom('profile_notifiers')
    .where('profile_id', '=', profileId)
    .where('provider', '=', provider)
    .execute();
}
