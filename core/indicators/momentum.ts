import { type IndicatorState, type LineIndicator, numberOf, ringOf } from './indicator.ts';

/**
 * Momentum: the value minus the one `length` values before. No seed. Ready after `length + 1` values. Equal to TA-Lib
 * MOM.
 */
export function createMomentum(length: number, saved?: IndicatorState): LineIndicator {
  const values = ringOf(saved, 'values', length);
  const s = { count: numberOf(saved, 'count'), value: numberOf(saved, 'value') };
  return {
    push(value) {
      const slot = s.count % length;
      s.value = value - (values[slot] ?? 0);
      values[slot] = value;
      s.count += 1;
    },
    get ready() {
      return s.count > length;
    },
    get value() {
      return s.count > length ? s.value : Number.NaN;
    },
    state: () => ({ ...s, values: Array.from(values) }),
  };
}
