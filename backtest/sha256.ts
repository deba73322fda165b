const ROUNDS = 64;
const BLOCK = 64;
const PRIMES = firstPrimes(ROUNDS);
/** Fractional bits of the cube and square roots of the first primes (FIPS 180-4, 4.2.2 and 5.3.3). */
const K = Int32Array.from(PRIMES, (prime) => rootBits(prime, 3n));
const START = Uint32Array.from(PRIMES.slice(0, 8), (prime) => rootBits(prime, 2n));

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return primes;
}

/** The first 32 bits behind the point of the `degree`th root, by whole numbers, so that no engine rounds differently. */
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

const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

function mixBlock(hash: Uint32Array, words: Int32Array): void {
  for (let i = 16; i < ROUNDS; i++) {
    const w15 = words[i - 15] ?? 0;
    const w2 = words[i - 2] ?? 0;
    const s0 = turn(w15, 7) ^ turn(w15, 18) ^ (w15 >>> 3);
    const s1 = turn(w2, 17) ^ turn(w2, 19) ^ (w2 >>> 10);
    words[i] = ((words[i - 16] ?? 0) + s0 + (words[i - 7] ?? 0) + s1) | 0;
  }
  const word = (i: number): number => (hash[i] ?? 0) | 0;
  let [a, b, c, d] = [word(0), word(1), word(2), word(3)];
  let [e, f, g, h] = [word(4), word(5), word(6), word(7)];
  for (let i = 0; i < ROUNDS; i++) {
    const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const first = (h + s1 + ((e & f) ^ (~e & g)) + (K[i] ?? 0) + (words[i] ?? 0)) | 0;
    const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  const sums = [a, b, c, d, e, f, g, h];
  for (let i = 0; i < sums.length; i++) hash[i] = word(i) + (sums[i] ?? 0);
}

/** SHA-256 of a text in UTF-8 as 64 hex digits (FIPS 180-4); synchronous and the same in Node and in a browser. */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
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
  return Array.from(hash, (word) => word.toString(16).padStart(8, '0')).join('');
}
