const PART = 1024;

/**
 * Reads rows 0 to `count` in parts of an even length. V8 keeps the machine code of a function that it has called often, but
 * compiles a function with one long loop again after each garbage collection.
 */
export function inParts(count: number, read: (from: number, to: number) => void): void {
  for (let from = 0; from < count; from += PART) read(from, Math.min(from + PART, count));
}
