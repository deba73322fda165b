import { type IndicatorState, type LineIndicator, numberOf, ringOf } from './indicator.ts';

/**
 * Weighted moving average: the newest of `length` values weighs `length`, the oldest 1, divided by `length * (length +
 * 1) / 2`. No seed. The weighted sum combines the rest of a finished block of `length` values with the current block, only
 * by adding, so nothing drifts. Ready after `length` values. Equal to TA-Lib WMA.
 */
export function createWma(length: number, saved?: IndicatorState): LineIndicator {
  const weight = (length * (length + 1)) / 2;
  const values = ringOf(saved, 'values', length);
  const rests = new Float64Array(length + 1);
  const weightedRests = new Float64Array(length + 1);
  const s = { count: numberOf(saved, 'count'), begun: 0, weighted: 0 };
  const sumRests = (from: number): void => {
    for (let i = length - 1; i >= from; i -= 1) {
      const rest = (rests[i + 1] ?? 0) + (values[i] ?? 0);
      rests[i] = rest;
      weightedRests[i] = (weightedRests[i + 1] ?? 0) + rest;
    }
  };
  const begin = (value: number, place: number): void => {
    s.begun += value;
    s.weighted += place * value;
  };
  const next = s.count % length;
  sumRests(next);
  for (let i = 0; i < next; i += 1) begin(values[i] ?? 0, i + 1);
  return {
    push(value) {
      const slot = s.count % length;
      values[slot] = value;
      begin(value, slot + 1);
      s.count += 1;
      if (slot !== length - 1) return;
      sumRests(0);
      s.begun = 0;
      s.weighted = 0;
    },
    get ready() {
      return s.count >= length;
    },
    get value() {
      if (s.count < length) return Number.NaN;
      const begun = s.count % length;
      return ((weightedRests[begun] ?? 0) + (s.weighted + (length - begun) * s.begun)) / weight;
    },
    state: () => ({ count: s.count, values: Array.from(values) }),
  };
}
