import { cacheKeys } from '#core/cache-keys.ts';
import type { CacheStore } from '#core/ports.ts';
import { ApiProblem } from '../problem.ts';

const WINDOW_MS = 60_000;
const ATTEMPTS = 5;

/**
 * Counts a sign-in attempt of an address, successful ones too, and throws when it is one too many. The count lies in the
 * cache store, so restarts and replicas of the api share it.
 */
export async function requireSignInAllowance(cache: CacheStore, ip: string): Promise<void> {
  const { count, resetMs } = await cache.countInWindow(cacheKeys.signInAttempts(ip), WINDOW_MS);
  if (count <= ATTEMPTS) return;
  const seconds = Math.max(1, Math.ceil(resetMs / 1000));
  throw new ApiProblem(
    'too_many_attempts',
    `${ATTEMPTS} attempts to sign in within a minute are allowed: try again in ${seconds} seconds.`,
    { headers: { 'retry-after': String(seconds) } },
  );
}

/** Counts a costly request of a session in the same way, and throws when it is one too many for a minute. */
export async function requireAllowance(cache: CacheStore, key: string, { most, what }: { most: number; what: string }) {
  const { count, resetMs } = await cache.countInWindow(key, WINDOW_MS);
  if (count <= most) return;
  const seconds = Math.max(1, Math.ceil(resetMs / 1000));
  throw new ApiProblem(
    'too_many_requests',
    `${what} may be asked for ${most} times a minute: try again in ${seconds} seconds.`,
    {
      headers: { 'retry-after': String(seconds) },
    },
  );
}
