import { z } from 'zod';

type Brand<Name extends string> = string & { readonly __id: Name };
export type UserId = Brand<'user'>;
export type AccountId = Brand<'account'>;
export type ProfileId = Brand<'profile'>;
export type OrderId = Brand<'order'>;
export type SessionId = Brand<'session'>;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * A UUIDv7 (RFC 9562 section 5.7): 48 bits of `unixMs`, then random bits, so that ids sort by creation.
 */
export function newId<Id extends string>(unixMs: number = Date.now()): Id {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  let rest = unixMs;
  for (let i = 5; i >= 0; i--) {
    bytes[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => HEX[byte] ?? '').join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}` as Id;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A branded id of any lower-case UUID; `undefined` for other text. */
export const readId = <Id extends string>(text: string): Id | undefined => (UUID.test(text) ? (text as Id) : undefined);

/** A zod schema for a branded id: any lower-case UUID. */
export const idSchema = <Id extends string>(): z.ZodType<Id, string> =>
  z
    .string()
    .regex(UUID, 'is not an id (UUID)')
    .transform((text) => text as Id);
