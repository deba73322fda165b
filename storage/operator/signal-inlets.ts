import type { ProfileId } from '#core/ids.ts';
import type { Reader, Writer } from '#storage/postgres/database.ts';
import type { Inlet } from '#storage/trading/signals.ts';

interface NewInlet {
  readonly id: string;
  readonly profileId: ProfileId;
  readonly name: string;
  readonly secretHash: Buffer;
  readonly maxAgeSeconds: number;
}

export async function createInlet(database: Writer, inlet: NewInlet): Promise<void> {
  const { id, profileId, name, secretHash, maxAgeSeconds } = inlet;
  const row = { id, profile_id: profileId, name, secret_hash: secretHash, max_age_seconds: maxAgeSeconds };
  await database.insertInto('signal_inlets').values(row).execute();
}

/** The inlets of a profile, oldest first. */
export const listInlets = (database: Reader, profileId: ProfileId) =>
  database
    .selectFrom('signal_inlets')
    .select(['id', 'name', 'max_age_seconds as maxAgeSeconds', 'created_at as createdAt', 'secret_at as secretAt'])
    .where('profile_id', '=', profileId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** The inlet with this secret, and the strategy of its profile; undefined for a wrong secret and for an unknown inlet. */
export const findInlet = (
  database: Reader,
  id: string,
  secretHash: Buffer,
): Promise<(Inlet & { readonly strategyName: string }) | undefined> =>
  database
    .selectFrom('signal_inlets')
    .innerJoin('profiles', 'profiles.id', 'profile_id')
    .select(['signal_inlets.id', 'signal_inlets.name', 'profile_id as profileId', 'max_age_seconds as maxAgeSeconds'])
    .select('strategy_name as strategyName')
    .where('signal_inlets.id', '=', id)
    .where('secret_hash', '=', secretHash)
    .executeTakeFirst();

/** Gives an inlet another secret; returns its name, or undefined when the profile has no such inlet. */
export async function replaceSecret(
  database: Writer,
  { id, profileId, secretHash, at }: { id: string; profileId: ProfileId; secretHash: Buffer; at: Date },
): Promise<string | undefined> {
  const row = await database
    .updateTable('signal_inlets')
    .set({ secret_hash: secretHash, secret_at: at })
    .where('id', '=', id)
    .where('profile_id', '=', profileId)
    .returning('name')
    .executeTakeFirst();
  return row?.name;
}

/** Deletes an inlet; its signals stay. Returns its name, or undefined when the profile has no such inlet. */
export async function deleteInlet(database: Writer, id: string, profileId: ProfileId): Promise<string | undefined> {
  const deletion = database.deleteFrom('signal_inlets').where('id', '=', id).where('profile_id', '=', profileId);
  return (await deletion.returning('name').executeTakeFirst())?.name;
}
