import { CacheError } from '#storage/cache-limits.ts';

/** PostgreSQL error classes: connection exception, operator intervention (shutdown, starting), too many connections. */
const SQL_STATES = /^(08|57P|53)/;
const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);
const SENTENCES =
  /Connection terminated|timeout exceeded when trying to connect|not queryable|Query read timeout|Client was closed/i;

/** True when the database, the queue or the cache store could not be reached, so that trying again later helps. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof CacheError) return true;
  if ('code' in error && typeof error.code === 'string') {
    if (SQL_STATES.test(error.code) || SOCKET_CODES.has(error.code)) return true;
  }
  if (SENTENCES.test(error.message)) return true;
  if (error instanceof AggregateError && error.errors.some(isUnavailable)) return true;
  return error.cause !== undefined && isUnavailable(error.cause);
}

/** True for text or a number that PostgreSQL can not take (class 22), which only a request can have brought. */
export const isUnstorable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && /^22...$/.test(error.code);
