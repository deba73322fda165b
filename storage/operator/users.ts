import { sql } from 'kysely';
import { newId, type UserId } from '#core/ids.ts';
import type { Reader, Writer } from '#storage/postgres/database.ts';

export interface User {
  readonly id: UserId;
  readonly email: string;
  readonly passwordHash: string;
  readonly timezone: string;
}

const selectUser = (database: Reader) =>
  database.selectFrom('users').select(['id', 'email', 'password_hash as passwordHash', 'timezone']);

/** The one operator, or undefined before onboarding. */
export const readOperator = (database: Reader): Promise<User | undefined> => selectUser(database).executeTakeFirst();

export const readUser = (database: Reader, id: UserId): Promise<User | undefined> =>
  selectUser(database).where('id', '=', id).executeTakeFirst();

export const readUserByEmail = (database: Reader, email: string): Promise<User | undefined> =>
  selectUser(database)
    .where((row) => sql<boolean>`lower(${row.ref('email')}) = lower(${email})`)
    .executeTakeFirst();

/** Creates the operator; undefined when one exists, even one that a concurrent request has just created. */
export async function createOperator(
  database: Writer,
  user: Pick<User, 'email' | 'passwordHash' | 'timezone'>,
): Promise<User | undefined> {
  const id = newId<UserId>();
  const row = await database
    .insertInto('users')
    .values({ id, email: user.email, password_hash: user.passwordHash, timezone: user.timezone })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row === undefined ? undefined : { id, ...user };
}

export async function saveTimezone(database: Writer, userId: UserId, timezone: string): Promise<void> {
  await database.updateTable('users').set({ timezone }).where('id', '=', userId).execute();
}

/** Replaces a password hash; false when another change came first. */
export async function savePassword(
  database: Writer,
  userId: UserId,
  hash: { readonly from: string; readonly to: string },
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('users')
    .set({ password_hash: hash.to })
    .where('id', '=', userId)
    .where('password_hash', '=', hash.from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** True when this hash is the stored one. Blocks password changes until the transaction ends. */
export async function holdPassword(database: Writer, { id, passwordHash }: User): Promise<boolean> {
  const row = await database
    .selectFrom('users')
    .select('id')
    .where('id', '=', id)
    .where('password_hash', '=', passwordHash)
    .forShare()
    .executeTakeFirst();
  return row !== undefined;
}
