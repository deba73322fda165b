import { type IndicatorState, type LineIndicator, numberOf } from './indicator.ts';

/**
 * Wilder's moving average, also called RMA or SMMA. Seed at value `length`: the mean of the first `length` values,
 * summed in time order. Then `a += (x - a) / length`. Ready after `length` values; the seed weighs less than 1e-9 after
 * about `21 * length` more. Source: J. Welles Wilder, New Concepts in Technical Trading Systems, 1978.
 */
export function createWilder(length: number, saved?: IndicatorState): LineIndicator {
  const s = { count: numberOf(saved, 'count'), sum: numberOf(saved, 'sum'), value: numberOf(saved, 'value') };
  return {
    push(value) {
      if (s.count === length) {
        s.value += (value - s.value) / length;
        return;
      }
      s.count += 1;
      s.sum += value;
      if (s.count === length) s.value = s.sum / length;
    },
    get ready() {
      return s.count === length;
    },
    get value() {
      return s.count === length ? s.value : Number.NaN;
    },
    state: () => ({ ...s }),
  };
}
