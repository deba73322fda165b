import type { CacheEntry } from '#core/ports/cache.ts';

/** PostgreSQL notifications hold fewer than 8,000 bytes; both adapters use this limit. */
const MAX_MESSAGE_BYTES = 7_000;
/** A window counter stops here: far above every limit, so that an attack cannot fill the store. */
export const MAX_HITS = 1_000;

/** A failed command of the cache store. It does not contain the values of the command. */
export class CacheError extends Error {
  override readonly name = 'CacheError';
}

/** Keys and values must be returned unchanged: no NUL (PostgreSQL refuses it), no unpaired surrogate. */
export function requireText(what: string, text: string): void {
  if (text.includes('\0'))
    throw new CacheError(`${what} holds a NUL character; the cache store keeps text without it, such as JSON.`);
  if (!text.isWellFormed()) {
    throw new CacheError(
      `${what} holds half of a surrogate pair; the cache store keeps well-formed text, such as JSON.`,
    );
  }
}

export function requireTexts(entries: ReadonlyMap<string, CacheEntry>): void {
  for (const [key, { value }] of entries) {
    requireText('A key', key);
    requireText(`The value of ${key}`, value);
  }
}

export function requireMessage(channel: string, message: string): void {
  requireText(`A message for the channel ${channel}`, message);
  const bytes = Buffer.byteLength(message);
  if (bytes > MAX_MESSAGE_BYTES) {
    throw new CacheError(
      `A message of ${bytes} bytes is too long for the channel ${channel} (at most ${MAX_MESSAGE_BYTES}): send an id and let the reader fetch.`,
    );
  }
}

export function requireCount(what: string, count: number): void {
  if (!Number.isSafeInteger(count) || count < 0)
    throw new CacheError(`${what} is ${count}, but must be a whole number from 0.`);
}
