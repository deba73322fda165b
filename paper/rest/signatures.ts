import { createHmac, timingSafeEqual, verify } from 'node:crypto';
import type { Account } from '#paper/exchange/accounts.ts';

/** The text that a REST signature covers: raw query and raw body without a separator, minus the signature pair. */
export const signedText = (rawQuery: string, rawBody: string): string =>
  withoutSignature(rawQuery) + withoutSignature(rawBody);

const withoutSignature = (raw: string): string =>
  raw
    .split('&')
    .filter((pair) => !pair.startsWith('signature='))
    .join('&');

/** The text that a WebSocket API signature covers: parameters sorted by name, values as written in the JSON. */
export const signedParams = (params: ReadonlyMap<string, string>): string =>
  [...params]
    .filter(([name]) => name !== 'signature')
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

/** True if `signature` signs `text` with the account's key: hex for HMAC in either case, base64 otherwise. */
export function isSignedBy(account: Account, text: string, signature: string): boolean {
  const { key } = account;
  const payload = Buffer.from(text, 'utf8');
  if (key.kind === 'hmac') {
    const expected = createHmac('sha256', key.secret).update(payload).digest();
    const given = Buffer.from(/^[0-9a-fA-F]{64}$/.test(signature) ? signature : '', 'hex');
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
  const given = Buffer.from(signature, 'base64');
  return verify(key.kind === 'rsa' ? 'sha256' : null, payload, key.publicKey, given);
}
