import { type IndicatorState, type LineIndicator, numberOf, ringOf } from './indicator.ts';

/** After this many values the running sum is recomputed, so that rounding errors do not accumulate. */
export const RECOMPUTE_EVERY = 1024;

/**
 * Simple moving average: the sum of the last `length` values divided by `length`. The sum runs (`sum += x - leaving`)
 * and is recomputed from the ring buffer, slot 0 first, after every 1,024th value counted from the first. Value i is in
 * slot i mod `length`. No seed. Ready after `length` values. Equal to TA-Lib SMA.
 */
export function createSma(length: number, saved?: IndicatorState): LineIndicator {
  const values = ringOf(saved, 'values', length);
  const s = { count: numberOf(saved, 'count'), sum: numberOf(saved, 'sum') };
  let slot = s.count % length;
  return {
    push(value) {
      s.sum += value - (values[slot] ?? 0);
      values[slot] = value;
      slot = slot + 1 === length ? 0 : slot + 1;
      s.count += 1;
      if (s.count % RECOMPUTE_EVERY !== 0) return;
      s.sum = 0;
      for (let i = 0; i < length; i += 1) s.sum += values[i] ?? 0;
    },
    get ready() {
      return s.count >= length;
    },
    get value() {
      return s.count < length ? Number.NaN : s.sum / length;
    },
    state: () => ({ ...s, values: Array.from(values) }),
  };
}
