import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';

/** OWASP's argon2id parameters for interactive sign-in: 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const TAG_BYTES = 32;
const SALT_BYTES = 16;
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

interface Parameters {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly nonce: Buffer;
  readonly tagLength: number;
}

const derive = (password: string, parameters: Parameters): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    argon2('argon2id', { message: Buffer.from(password.normalize('NFKC')), ...parameters }, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** The argon2id hash of a password as a PHC string, salt included. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const parameters = { memory: MEMORY_KIB, passes: PASSES, parallelism: LANES, nonce, tagLength: TAG_BYTES };
  const tag = await derive(password, parameters);
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${unpadded(nonce)}$${unpadded(tag)}`;
}

/** A hash that no password matches: an unknown e-mail takes as long as a wrong password. */
const UNKNOWN_USER_HASH = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${unpadded(randomBytes(SALT_BYTES))}$${unpadded(randomBytes(TAG_BYTES))}`;

/** Compares in constant time; `undefined` (no such user) takes as long and never matches. */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  const match = PHC.exec(stored ?? UNKNOWN_USER_HASH);
  if (match === null) throw new Error('The stored password hash is not an argon2id PHC string.');
  const [, memory, passes, parallelism, salt = '', tag = ''] = match;
  const expected = Buffer.from(tag, 'base64');
  const actual = await derive(password, {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(salt, 'base64'),
    tagLength: expected.length,
  });
  return timingSafeEqual(actual, expected) && stored !== undefined;
}
