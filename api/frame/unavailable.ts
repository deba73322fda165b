import { CacheError } from '#storage/cache/cache-limits.ts';

/**
 * PostgreSQL error classes: connection exception, operator intervention (shutdown, starting), insufficient resources (disk,
 * memory, connections); a read-only database; a transaction that was idle for too long.
 */
const SQL_STATES = /^(08|57P|53|25006|25P03)/;
/** Errors after which the server has stored nothing. */
const REFUSALS: Readonly<Record<string, string>> = {
  '25006': 'The database is read-only: nothing was stored.',
  '53100': 'The disk of the database is full: nothing was stored.',
  '53200': 'The database is out of memory: nothing was stored.',
  '53300': 'The database has no free connection: nothing was stored.',
};
const UNREACHABLE = 'The database or the cache store is unreachable: try again in a moment.';
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

/** True when the database, the queue or the cache store was unreachable, so a later retry helps. */
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

/** A sentence about the outage, and whether it is certain that nothing was stored. */
export function outageOf(error: unknown): { readonly sentence: string; readonly stored: 'nothing' | 'unknown' } {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const refusal = REFUSALS[code];
  return refusal === undefined
    ? { sentence: UNREACHABLE, stored: 'unknown' }
    : { sentence: refusal, stored: 'nothing' };
}

/** True for a text or number that PostgreSQL cannot store (class 22); only a request can contain one. */
export const isUnstorable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && /^22...$/.test(error.code);
