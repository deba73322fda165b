import { cacheKeys } from '#core/installation/cache-keys.ts';
import type { CacheStore } from '#core/ports/cache.ts';
import type { SessionId } from '#core/ids.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { networkOf } from './client-ip.ts';

const WINDOW_MS = 60_000;
const ATTEMPTS = 5;
/** Maximum attempts of all networks together: many addresses do not allow more guesses. */
const ATTEMPTS_OF_ALL = 100;
const BAD_TOKENS = 20;

interface Attempts {
  readonly key: string;
  readonly most: number;
  readonly what: string;
}

async function countAttempt(cache: CacheStore, { key, most, what }: Attempts): Promise<void> {
  const { count, resetMs } = await cache.countInWindow(key, WINDOW_MS);
  if (count <= most) return;
  const seconds = Math.max(1, Math.ceil(resetMs / 1000));
  throw new ApiProblem(
    'too_many_attempts',
    `${most} attempts ${what} within a minute are allowed: try again in ${seconds} seconds.`,
    { headers: { 'retry-after': String(seconds) } },
  );
}

/**
 * Counts a sign-in attempt of a network, successful or not, and throws above the limit. The count is in the cache store, so
 * restarts and replicas of the api share it. Attempts above a network's limit do not count towards the total.
 */
export async function requireSignInAllowance(cache: CacheStore, ip: string): Promise<void> {
  const what = 'to sign in';
  await countAttempt(cache, { key: cacheKeys.signInAttempts(networkOf(ip)), most: ATTEMPTS, what });
  await countAttempt(cache, {
    key: cacheKeys.signInAttempts('all'),
    most: ATTEMPTS_OF_ALL,
    what: `${what} from all addresses`,
  });
}

/** Counts a request with a bad token, per network. */
export const requireBadTokenAllowance = (cache: CacheStore, ip: string): Promise<void> =>
  countAttempt(cache, { key: cacheKeys.badTokens(networkOf(ip)), most: BAD_TOKENS, what: 'with a bad token' });

/** Counts an attempt to change the password: a stolen session must not guess it. */
export const requirePasswordAllowance = (cache: CacheStore, session: SessionId): Promise<void> =>
  countAttempt(cache, { key: cacheKeys.passwordAttempts(session), most: ATTEMPTS, what: 'to change the password' });

/** Counts an expensive request of a session in the same way, and throws above the limit per minute. */
export async function requireAllowance(cache: CacheStore, key: string, { most, what }: { most: number; what: string }) {
  const { count, resetMs } = await cache.countInWindow(key, WINDOW_MS);
  if (count <= most) return;
  const seconds = Math.max(1, Math.ceil(resetMs / 1000));
  throw new ApiProblem(
    'too_many_requests',
    `${what} may be requested ${most} times a minute: try again in ${seconds} seconds.`,
    {
      headers: { 'retry-after': String(seconds) },
    },
  );
}
