import { type IndicatorState, type LineIndicator, numberOf } from './indicator.ts';

/** An average that a caller may continue in its own loop once it is ready: `e += weight * (x - e)`. */
export interface Ema extends LineIndicator {
  readonly weight: number;
  /** Sets the value at the end of such a loop. */
  continueFrom(value: number): void;
}

/**
 * Exponential moving average. Seed at value `length`: the sum of the first `length` values in time order, divided by
 * `length`. Then `e += k * (x - e)` with `k = 2 / (length + 1)`. Ready after `length` values; the seed weighs less than
 * 1e-9 after about `10.4 * length` more. Source: TA-Lib EMA, classic seed.
 */
export function createEma(length: number, saved?: IndicatorState): Ema {
  const k = 2 / (length + 1);
  const s = { count: numberOf(saved, 'count'), sum: numberOf(saved, 'sum'), value: numberOf(saved, 'value') };
  return {
    weight: k,
    continueFrom(value) {
      s.value = value;
    },
    push(value) {
      if (s.count === length) {
        s.value += k * (value - s.value);
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
