const TWO_32 = 2 ** 32;

/**
 * Hashes two integers into 32 well spread bits. The only source of randomness, so that every market repeats exactly.
 */
export function mix(a: number, b: number): number {
  let hash = Math.imul((a ^ 0x9e3779b9) | 0, 0x85ebca6b) ^ Math.imul((b + 0x7f4a7c15) | 0, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** The hash as a number in [0, 1). */
export const share = (a: number, b: number): number => mix(a, b) / TWO_32;

export function mixText(text: string, seed: number): number {
  let hash = seed | 0;
  for (let i = 0; i < text.length; i++) hash = mix(hash, text.charCodeAt(i));
  return hash;
}

/** Value noise in [-1, 1]: random knots at whole numbers, smooth between them. Every point costs the same time. */
export function smoothNoise(salt: number, x: number): number {
  const knot = Math.floor(x);
  const from = 2 * share(salt, knot) - 1;
  const to = 2 * share(salt, knot + 1) - 1;
  const t = x - knot;
  return from + (to - from) * t * t * (3 - 2 * t);
}
