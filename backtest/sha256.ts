import { joinBytes } from '#core/bytes.ts';

const ROUNDS = 64;
const BLOCK = 64;
const PRIMES = firstPrimes(ROUNDS);
/** Fractional bits of the cube and square roots of the first primes (FIPS 180-4, 4.2.2 and 5.3.3). */
const K = Int32Array.from(PRIMES, (prime) => rootBits(prime, 3n));
const START = Int32Array.from(PRIMES.slice(0, 8), (prime) => rootBits(prime, 2n));

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return primes;
}

/** The first 32 fractional bits of the `degree`th root, in integer arithmetic, so that no engine rounds differently. */
function rootBits(value: number, degree: bigint): number {
  const scaled = BigInt(value) << (32n * degree);
  let low = 0n;
  let high = 1n << 40n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** degree <= scaled) low = middle;
    else high = middle;
  }
  return Number(low & 0xffffffffn);
}

/** Mixes 16 words into the hash; `words` has room for 64. */
function mixBlock(hash: Int32Array, words: Int32Array): void {
  for (let i = 16; i < ROUNDS; i++) {
    const x = words[i - 15] ?? 0;
    const y = words[i - 2] ?? 0;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    words[i] = ((((words[i - 16] ?? 0) + s0) | 0) + (((words[i - 7] ?? 0) + s1) | 0)) | 0;
  }
  let a = hash[0] ?? 0;
  let b = hash[1] ?? 0;
  let c = hash[2] ?? 0;
  let d = hash[3] ?? 0;
  let e = hash[4] ?? 0;
  let f = hash[5] ?? 0;
  let g = hash[6] ?? 0;
  let h = hash[7] ?? 0;
  for (let i = 0; i < ROUNDS; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const first = (((((h + s1) | 0) + (g ^ (e & (f ^ g)))) | 0) + (((K[i] ?? 0) + (words[i] ?? 0)) | 0)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const second = (s0 + ((a & b) | (c & (a | b)))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  hash[0] = (hash[0] ?? 0) + a;
  hash[1] = (hash[1] ?? 0) + b;
  hash[2] = (hash[2] ?? 0) + c;
  hash[3] = (hash[3] ?? 0) + d;
  hash[4] = (hash[4] ?? 0) + e;
  hash[5] = (hash[5] ?? 0) + f;
  hash[6] = (hash[6] ?? 0) + g;
  hash[7] = (hash[7] ?? 0) + h;
}

/** Absent in a browser, where the native hash is asynchronous. */
const native = globalThis.process?.getBuiltinModule?.('node:crypto');

/**
 * SHA-256 of a text in UTF-8, or of parts one after the other, as 64 hex digits (FIPS 180-4); synchronous and the same in Node
 * and in a browser.
 */
export function sha256(...parts: readonly (string | Uint8Array)[]): string {
  if (native === undefined) return portableSha256(...parts);
  const hash = native.createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/** Pure JavaScript fallback. */
export function portableSha256(...parts: readonly (string | Uint8Array)[]): string {
  const bytes = joinBytes(parts.map((part) => (typeof part === 'string' ? new TextEncoder().encode(part) : part)));
  const blocks = Math.ceil((bytes.length + 9) / BLOCK);
  const padded = new Uint8Array(blocks * BLOCK);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  const hash = START.slice();
  const words = new Int32Array(ROUNDS);
  for (let block = 0; block < blocks; block++) {
    for (let i = 0; i < 16; i++) words[i] = view.getUint32(block * BLOCK + i * 4);
    mixBlock(hash, words);
  }
  return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}
