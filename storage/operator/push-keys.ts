import type { Reader, Writer } from '#storage/postgres/database.ts';
import { readOperator } from './users.ts';

interface PushKeyPair {
  readonly publicKey: string;
  readonly privateKey: string;
}

const selectKeys = (database: Reader): Promise<PushKeyPair | undefined> =>
  database.selectFrom('push_keys').select(['public_key as publicKey', 'private_key as privateKey']).executeTakeFirst();

/** The keys that sign browser notifications, with the contact of the operator; undefined before the first use. */
export async function readPushKeys(database: Reader): Promise<(PushKeyPair & { subject: string }) | undefined> {
  const keys = await selectKeys(database);
  const operator = await readOperator(database);
  return keys === undefined || operator === undefined ? undefined : { ...keys, subject: `mailto:${operator.email}` };
}

/** Stores the keys unless there are some; returns the public key that counts, and whether it is new. */
export async function keepPushKeys(
  database: Writer,
  { publicKey, privateKey }: PushKeyPair,
): Promise<{ readonly publicKey: string; readonly isNew: boolean }> {
  const added = await database
    .insertInto('push_keys')
    .values({ public_key: publicKey, private_key: privateKey })
    .onConflict((conflict) => conflict.doNothing())
    .returning('public_key as publicKey')
    .executeTakeFirst();
  const kept = added ?? (await selectKeys(database));
  return { publicKey: kept?.publicKey ?? publicKey, isNew: added !== undefined };
}
