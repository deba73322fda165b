import { type Indicator, type IndicatorState, numberOf, ringOf } from './indicator.ts';

interface WindowDeviation extends Indicator {
  push(value: number): void;
  /** The values of the window in slots of no particular order, for measures that need each of them; not to be kept. */
  readonly values: Float64Array;
  mean(): number;
  /** Population standard deviation (divided by `length`), exactly 0 for equal values. */
  deviation(): number;
}

/**
 * Mean and deviation of the last `length` values, without subtracting leaving values: Welford's recurrence over the current
 * block, merged (Chan, Golub and LeVeque, 1979) with the rest of the block before it. No cancellation at high
 * prices with small changes, and no drift. NaN until `length` values are in.
 */
export function createWindowDeviation(length: number, saved?: IndicatorState): WindowDeviation {
  const values = ringOf(saved, 'values', length);
  const means = new Float64Array(length + 1);
  const squares = new Float64Array(length + 1);
  const s = { count: numberOf(saved, 'count'), mean: 0, square: 0 };
  const gatherRests = (from: number): void => {
    for (let i = length - 1; i >= from; i -= 1) {
      const value = values[i] ?? 0;
      const mean = means[i + 1] ?? 0;
      const shift = value - mean;
      const moved = mean + shift / (length - i);
      means[i] = moved;
      squares[i] = (squares[i + 1] ?? 0) + shift * (value - moved);
    }
  };
  const begin = (value: number, size: number): void => {
    const shift = value - s.mean;
    s.mean += shift / size;
    s.square += shift * (value - s.mean);
  };
  const next = s.count % length;
  gatherRests(next);
  for (let i = 0; i < next; i += 1) begin(values[i] ?? 0, i + 1);
  return {
    values,
    push(value) {
      const slot = s.count % length;
      values[slot] = value;
      begin(value, slot + 1);
      s.count += 1;
      if (slot !== length - 1) return;
      gatherRests(0);
      s.mean = 0;
      s.square = 0;
    },
    mean() {
      if (s.count < length) return Number.NaN;
      const begun = s.count % length;
      const rest = means[begun] ?? 0;
      return rest + ((s.mean - rest) * begun) / length;
    },
    deviation() {
      if (s.count < length) return Number.NaN;
      const begun = s.count % length;
      const shift = begun === 0 ? 0 : s.mean - (means[begun] ?? 0);
      const between = (shift * shift * begun * (length - begun)) / length;
      return Math.sqrt(((squares[begun] ?? 0) + s.square + between) / length);
    },
    get ready() {
      return s.count >= length;
    },
    state: () => ({ count: s.count, values: Array.from(values) }),
  };
}
