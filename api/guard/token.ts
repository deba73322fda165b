import { createHash, randomBytes } from 'node:crypto';
import type { AccountId } from '#core/ids.ts';
import { readToken, type StoredToken, touchToken } from '#storage/operator/tokens.ts';
import type { Operation } from '#api/contract/operation.ts';
import { allows, needOf } from '#api/contract/scopes.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { isUnavailable } from '#api/frame/unavailable.ts';
import type { Caller } from './caller.ts';
import { type Operator, tokenHash } from './session.ts';
import { requireBadTokenAllowance } from './throttle.ts';

/** The address of assistants (api/mcp). It looks at tokens only. */
export const MCP_PATH = '/api/mcp';
/** Below it are the inlets, which look at the secret in the body only. */
export const SIGNALS_PATH = '/api/signals/';

const PREFIX = 'tw_';
/** 43 characters for 256 random bits, then 6 characters of their checksum. */
const FORM = /^tw_[\w-]{49}$/;
const SECRET_BYTES = 32;
const CHECK_CHARS = 6;
/** Minimum interval between stored uses of a token. */
const TOUCH_EVERY_MS = 60_000;

const checkOf = (secret: string): string =>
  createHash('sha256').update(`${PREFIX}${secret}`).digest('base64url').slice(0, CHECK_CHARS);

/** A new token, `tw_` and 49 characters. */
export function newToken(): string {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return `${PREFIX}${secret}${checkOf(secret)}`;
}

/** False for text that no token can be, such as one with a typing error: it costs no query. */
export const isWellFormed = (token: string): boolean =>
  FORM.test(token) && checkOf(token.slice(PREFIX.length, -CHECK_CHARS)) === token.slice(-CHECK_CHARS);

/** The token of a request, valid or not; undefined when it sends none. Other schemes belong to a proxy in front. */
export function bearerIn(headers: Pick<Headers, 'get'>): string | undefined {
  const [, token] = /^bearer +(.*)$/i.exec(headers.get('authorization') ?? '') ?? [];
  return token?.trim();
}

/**
 * The operator of a request that sends a token. Throws `bad_token` for one that is unknown, expired or revoked, and
 * `too_many_attempts` when its network has sent too many of those; good tokens pass meanwhile.
 */
export async function authenticateToken(context: ApiContext, bearer: string, caller: Caller): Promise<Operator> {
  const at = context.now();
  const { kysely } = context.database;
  const stored = isWellFormed(bearer) ? await readToken(kysely, tokenHash(bearer), at) : undefined;
  if (stored === undefined) {
    await requireBadTokenAllowance(context.cache, caller.ip);
    const headers = { 'www-authenticate': 'Bearer' };
    throw new ApiProblem('bad_token', 'The token is unknown, expired or revoked: create another one.', { headers });
  }
  if (context.settings.liveDemo)
    throw new ApiProblem('demo_locked', 'This is a live demo: access for programs is switched off.');
  await touch(context, stored, caller);
  const { id, name, scopes, accountIds, user } = stored;
  return { user, session: null, token: { id, name, scopes, accountIds } };
}

/** During an outage of writes a valid token can still read. */
async function touch({ database, now }: ApiContext, { id, lastUsedAt }: StoredToken, { ip }: Caller): Promise<void> {
  const at = now();
  if (lastUsedAt !== null && at.getTime() - lastUsedAt.getTime() < TOUCH_EVERY_MS) return;
  try {
    await touchToken(database.kysely, id, { at, ip });
  } catch (error) {
    if (!isUnavailable(error)) throw error;
  }
}

/** Why the token of a request may not call an operation; undefined when it may. */
function refusalOf({ token }: Operator, operation: Operation): string | undefined {
  if (token === null) return undefined;
  const need = needOf(operation);
  if (need === 'session') return 'No token may do this: sign in.';
  if (!allows(token.scopes, operation)) return `This needs a token with the scope ${need}, or a session.`;
  const isAboutAll = operation.scope === undefined && operation.filtersAccounts !== true;
  return token.accountIds !== null && isAboutAll
    ? 'The token is limited to some accounts, and this is about all of them.'
    : undefined;
}

export const mayCall = (operator: Operator, operation: Operation): boolean =>
  refusalOf(operator, operation) === undefined;

/** Throws `out_of_scope` when the token of a request may not call the operation. */
export function requireScope(operator: Operator, operation: Operation): void {
  const refusal = refusalOf(operator, operation);
  if (refusal !== undefined) throw new ApiProblem('out_of_scope', refusal);
}

/** Whether the caller may see records of an account. */
export const reachesAccount = ({ token }: Operator, id: AccountId): boolean =>
  token === null || token.accountIds === null || token.accountIds.includes(id);
