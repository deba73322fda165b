import { newId, type SessionId, type UserId } from '#core/ids.ts';
import type { Reader, Writer } from '#storage/postgres/database.ts';
import type { User } from './users.ts';

interface NewSession {
  readonly user: User;
  readonly tokenHash: Buffer;
  readonly at: Date;
  readonly expiresAt: Date;
  readonly ip: string;
  readonly userAgent: string;
}

export interface StoredSession {
  readonly id: SessionId;
  readonly expiresAt: Date;
  readonly lastUsedAt: Date;
  readonly user: User;
}

/** Creates a session and deletes expired ones. */
export async function createSession(database: Writer, session: NewSession): Promise<SessionId> {
  const id = newId<SessionId>(session.at.getTime());
  await database.deleteFrom('sessions').where('expires_at', '<=', session.at).execute();
  await database
    .insertInto('sessions')
    .values({
      id,
      user_id: session.user.id,
      token_hash: session.tokenHash,
      created_at: session.at,
      last_used_at: session.at,
      expires_at: session.expiresAt,
      ip: session.ip,
      user_agent: session.userAgent,
    })
    .execute();
  return id;
}

/** The session of a token that is still valid at `at`. */
export async function readSession(database: Reader, tokenHash: Buffer, at: Date): Promise<StoredSession | undefined> {
  const row = await database
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['sessions.id', 'sessions.expires_at', 'sessions.last_used_at'])
    .select(['users.id as user_id', 'users.email', 'users.password_hash', 'users.timezone'])
    .where('sessions.token_hash', '=', tokenHash)
    .where('sessions.expires_at', '>', at)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const user = { id: row.user_id, email: row.email, passwordHash: row.password_hash, timezone: row.timezone };
  return { id: row.id, expiresAt: row.expires_at, lastUsedAt: row.last_used_at, user };
}

/** Records a use. Neither time ever moves back, even when uses are written out of order. */
export async function touchSession(database: Writer, id: SessionId, use: { at: Date; expiresAt: Date }): Promise<void> {
  await database
    .updateTable('sessions')
    .set((row) => ({
      last_used_at: row.fn<Date>('greatest', ['last_used_at', row.val(use.at)]),
      expires_at: row.fn<Date>('greatest', ['expires_at', row.val(use.expiresAt)]),
    }))
    .where('id', '=', id)
    .execute();
}

/** False when the session does not exist. */
export async function deleteSession(database: Writer, id: SessionId): Promise<boolean> {
  const { numDeletedRows } = await database.deleteFrom('sessions').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Ends every session of a user but `kept` and returns their ids; undefined when `kept` has itself ended meanwhile. */
export async function deleteSessionsBut(
  database: Writer,
  userId: UserId,
  kept: SessionId,
): Promise<SessionId[] | undefined> {
  const locked = await database
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('id')
    .forUpdate()
    .execute();
  const others = locked.map(({ id }) => id).filter((id) => id !== kept);
  if (others.length === locked.length) return undefined;
  if (others.length > 0) await database.deleteFrom('sessions').where('id', 'in', others).execute();
  return others;
}

/** Sessions of a user that are valid at `at`, last used first. */
export const listSessions = (database: Reader, userId: UserId, at: Date) =>
  database
    .selectFrom('sessions')
    .select(['id', 'created_at as createdAt', 'last_used_at as lastUsedAt', 'expires_at as expiresAt', 'ip'])
    .select('user_agent as userAgent')
    .where('user_id', '=', userId)
    .where('expires_at', '>', at)
    .orderBy('last_used_at', 'desc')
    .execute();

/** Which of these sessions are still valid at `at`. */
export async function validSessions(database: Reader, ids: readonly SessionId[], at: Date): Promise<Set<SessionId>> {
  if (ids.length === 0) return new Set();
  const rows = await database
    .selectFrom('sessions')
    .select('id')
    .where('id', 'in', [...ids])
    .where('expires_at', '>', at)
    .execute();
  return new Set(rows.map((row) => row.id));
}
