import { type Indicator, type IndicatorState, numberOf, ringOf } from './indicator.ts';

interface WindowSum extends Indicator {
  push(value: number): void;
  /** NaN before `ready`. */
  sum(): number;
}

/**
 * The sum of the last `length` values without ever subtracting: a window is the rest of a finished block of `length`
 * values plus the start of the next one. Nothing drifts, and a window of zeros sums to exactly 0. One addition per value, and `length` more when a block ends.
 */
export function createWindowSum(length: number, saved?: IndicatorState): WindowSum {
  const values = ringOf(saved, 'values', length);
  const rests = new Float64Array(length + 1);
  const s = { count: numberOf(saved, 'count'), begun: 0 };
  const sumRests = (from: number): void => {
    for (let i = length - 1; i >= from; i -= 1) rests[i] = (rests[i + 1] ?? 0) + (values[i] ?? 0);
  };
  const next = s.count % length;
  sumRests(next);
  for (let i = 0; i < next; i += 1) s.begun += values[i] ?? 0;
  return {
    push(value) {
      const slot = s.count % length;
      values[slot] = value;
      s.begun += value;
      s.count += 1;
      if (slot !== length - 1) return;
      sumRests(0);
      s.begun = 0;
    },
    sum: () => (s.count < length ? Number.NaN : (rests[s.count % length] ?? 0) + s.begun),
    get ready() {
      return s.count >= length;
    },
    state: () => ({ count: s.count, values: Array.from(values) }),
  };
}
