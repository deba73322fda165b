type Brand<Name extends string> = string & { readonly __id: Name };
export type UserId = Brand<'user'>;
export type AccountId = Brand<'account'>;
export type ProfileId = Brand<'profile'>;
export type OrderId = Brand<'order'>;
export type SessionId = Brand<'session'>;
export type TokenId = Brand<'token'>;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Random bytes are drawn in pages, because a system call for each id would dominate its cost. */
const random = new Uint8Array(4_096);
let used = random.length;
function randomByte(): number {
  if (used === random.length) {
    crypto.getRandomValues(random);
    used = 0;
  }
  return random[used++] ?? 0;
}
const randomHex = (): string => HEX[randomByte()] ?? '';

/** Time of the newest id, and the counter within that millisecond. */
let newestMs = -1;
let counter = 0;
const LAST = 0xfff;

/** The counter starts each millisecond at random in its lower half. It stops at 4,095, so at least 2,048 ids sort. */
function countWithin(unixMs: number): number {
  counter = unixMs === newestMs ? Math.min(counter + 1, LAST) : ((randomByte() & 0x07) << 8) | randomByte();
  newestMs = unixMs;
  return counter;
}

/**
 * A UUIDv7 (RFC 9562 section 5.7): 48 bits of `unixMs`, a counter of 12 bits (section 6.2, method 1), then random bits. Ids
 * of one process sort by their creation, also within a millisecond.
 */
export function newId<Id extends string>(unixMs: number = Date.now()): Id {
  const time = unixMs.toString(16).padStart(12, '0');
  const count = countWithin(unixMs).toString(16).padStart(3, '0');
  const variant = HEX[(randomByte() & 0x3f) | 0x80] ?? '';
  const tail = randomHex() + randomHex() + randomHex() + randomHex() + randomHex() + randomHex();
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${variant}${randomHex()}-${tail}` as Id;
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A branded id of any lower-case UUID; `undefined` for other text. */
export const readId = <Id extends string>(text: string): Id | undefined => (UUID.test(text) ? (text as Id) : undefined);
