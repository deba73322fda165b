import { createHash, randomBytes } from 'node:crypto';
import { parse, serialize } from 'hono/utils/cookie';
import type { AccountId, SessionId, TokenId } from '#core/ids.ts';
import type { TokenScope } from '#core/installation/token-scopes.ts';
import { createSession, readSession, type StoredSession, touchSession } from '#storage/operator/sessions.ts';
import type { Writer } from '#storage/postgres/database.ts';
import { readUser, type User } from '#storage/operator/users.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { isUnavailable } from '#api/frame/unavailable.ts';
import type { Caller } from './caller.ts';

export const SESSION_MS = 24 * 3_600_000;
/** A request after a longer pause than this does not prolong the session. */
const SLIDING_IDLE_MS = 3_600_000;
/** Minimum interval between stored uses of a session. */
const TOUCH_EVERY_MS = 60_000;
const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** An API token that a program has sent. */
interface TokenGrant {
  readonly id: TokenId;
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  /** Null: every account. */
  readonly accountIds: readonly AccountId[] | null;
}

/** A message of the chat that the api carries out; no request from outside can have it. */
export interface ChatGrant {
  /** Its update: a change is committed together with the mark that the update is handled. */
  readonly update: number;
  readonly sender: { readonly id: string; readonly name: string };
}

/** The user of a request, with the session or the token that it sent; the injected operator of a live demo has neither. */
export interface Operator {
  readonly user: User;
  readonly session: { readonly id: SessionId; readonly expiresAt: Date } | null;
  readonly token: TokenGrant | null;
  readonly chat?: ChatGrant;
}

/** Whether a request is of a visitor of a live demo. */
export const isVisitor = ({ session, token, chat }: Operator): boolean =>
  session === null && token === null && chat === undefined;

interface SessionCookie {
  readonly name: string;
  readonly token: string;
}

export interface Authenticated {
  readonly operator: Operator;
  /** The cookie to send again when this request has prolonged the session. */
  readonly prolonged: SessionCookie | null;
}

export const tokenHash = (token: string): Buffer => createHash('sha256').update(token).digest();

function cookieIn(header: string | null, names: readonly string[]): SessionCookie | undefined {
  if (header === null) return undefined;
  const cookies = parse(header);
  return names.map((name) => ({ name, token: cookies[name] ?? '' })).find(({ token }) => TOKEN.test(token));
}

/** The token of the session cookie, valid or not. */
export const sentToken = (header: string | null, { cookieNames }: Pick<Caller, 'cookieNames'>): string | undefined =>
  cookieIn(header, cookieNames)?.token;

/** The operator of a request: that of its session, else the one of the live demo, else undefined. */
export async function authenticate(
  context: ApiContext,
  cookieHeader: string | null,
  { cookieNames }: Pick<Caller, 'cookieNames'>,
): Promise<Authenticated | undefined> {
  const sent = cookieIn(cookieHeader, cookieNames);
  const at = context.now();
  const session = sent && (await findSession(context, tokenHash(sent.token), at));
  if (sent !== undefined && session !== undefined) return useSession(context, sent, session);
  if (context.demoUserId === null) return undefined;
  // Only the user id is fixed at boot: changes by visitors apply to all requests.
  const user = await readUser(context.database.kysely, context.demoUserId);
  return user && { operator: { user, session: null, token: null }, prolonged: null };
}

const findSession = ({ database: { kysely }, sessions }: ApiContext, hash: Buffer, at: Date) =>
  sessions === undefined ? readSession(kysely, hash, at) : sessions.read(kysely, hash, at);

async function useSession(context: ApiContext, sent: SessionCookie, session: StoredSession): Promise<Authenticated> {
  const at = context.now();
  const idleMs = at.getTime() - session.lastUsedAt.getTime();
  const slides = idleMs < SLIDING_IDLE_MS;
  const expiresAt = slides ? new Date(at.getTime() + SESSION_MS) : session.expiresAt;
  const kept = idleMs < TOUCH_EVERY_MS || (await isTouched(context, session.id, { at, expiresAt }));
  return {
    operator: {
      user: session.user,
      session: { id: session.id, expiresAt: kept ? expiresAt : session.expiresAt },
      token: null,
    },
    prolonged: slides && kept ? sent : null,
  };
}

/** False during an outage: a valid session can still read, and a change is refused with the reason. */
async function isTouched(context: ApiContext, id: SessionId, use: { at: Date; expiresAt: Date }): Promise<boolean> {
  try {
    await touchSession(context.database.kysely, id, use);
    context.sessions?.clear();
    return true;
  } catch (error) {
    if (isUnavailable(error)) return false;
    throw error;
  }
}

/** Starts a session; only the browser keeps the token. */
export async function openSession(
  database: Writer,
  session: { readonly user: User; readonly caller: Caller; readonly at: Date },
): Promise<{ token: string; operator: Operator }> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const expiresAt = new Date(session.at.getTime() + SESSION_MS);
  const { user, at } = session;
  const { ip, userAgent } = session.caller;
  const id = await createSession(database, { user, at, expiresAt, tokenHash: tokenHash(token), ip, userAgent });
  return { token, operator: { user, session: { id, expiresAt }, token: null } };
}

/** A cookie of an https origin is Secure, as its name prefix requires. */
const cookie = (name: string, value: string, maxAge: number): string =>
  serialize(name, value, { path: '/', httpOnly: true, sameSite: 'Strict', secure: name.startsWith('__Host-'), maxAge });

export const sessionCookie = (name: string, token: string): string => cookie(name, token, SESSION_MS / 1000);
/** Deletes the session cookie in the browser, under every possible name. */
export function clearCookies(reply: Headers, { cookieNames }: Pick<Caller, 'cookieNames'>): void {
  reply.delete('set-cookie');
  for (const name of cookieNames) reply.append('set-cookie', cookie(name, '', 0));
}
