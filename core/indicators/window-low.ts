/** The lowest of the last `length` pushed values, O(1) amortised, without allocation per value. */
export interface WindowLow {
  readonly length: number;
  push(value: number): void;
  /** Pushes values `from` to `to` of a column. Values that leave the window again cost nothing. */
  pushAll(column: Float64Array, from: number, to: number): void;
  /** Values pushed so far, also those that left the window. */
  count(): number;
  /** NaN before the first value. */
  low(): number;
  /** The candidates as [index, value], oldest first. With `count` they restore the window. */
  entries(): [number, number][];
}

/**
 * A monotonic deque in a ring buffer: an older value that is not below a newer one can never be the low again. `restored`
 * holds `entries` and `count` of a window of the same length.
 */
export function createWindowLow(
  length: number,
  restored: { readonly count: number; readonly entries: readonly (readonly [number, number])[] } = {
    count: 0,
    entries: [],
  },
): WindowLow {
  const indices = new Float64Array(length);
  const values = new Float64Array(length);
  let head = 0;
  let size = 0;
  let count = restored.count;
  const append = (index: number, value: number): void => {
    const slot = (head + size) % length;
    indices[slot] = index;
    values[slot] = value;
    size += 1;
  };
  for (const [index, value] of restored.entries.slice(-length)) append(index, value);
  const window: WindowLow = {
    length,
    push(value) {
      if (size > 0 && (indices[head] ?? 0) <= count - length) {
        head = (head + 1) % length;
        size -= 1;
      }
      while (size > 0 && (values[(head + size - 1) % length] ?? 0) >= value) size -= 1;
      append(count, value);
      count += 1;
    },
    pushAll(column, from, to) {
      const first = Math.max(from, to - length);
      if (to - from >= length) {
        head = 0;
        size = 0;
      }
      count += first - from;
      for (let at = first; at < to; at++) window.push(column[at] ?? 0);
    },
    count: () => count,
    low: () => (size === 0 ? Number.NaN : (values[head] ?? Number.NaN)),
    entries: () =>
      Array.from({ length: size }, (_, i): [number, number] => {
        const slot = (head + i) % length;
        return [indices[slot] ?? 0, values[slot] ?? 0];
      }),
  };
  return window;
}
