import { type Indicator, type IndicatorState, partOf } from './indicator.ts';
import { createWindowDeviation } from './window-deviation.ts';

interface Bollinger extends Indicator {
  push(value: number): void;
  readonly middle: number;
  readonly upper: number;
  readonly lower: number;
}

/**
 * Bollinger bands: the mean of the last `length` values, and that mean plus and minus `deviations` times the population
 * standard deviation (divided by `length`). No seed. Ready after `length` values. Source: John Bollinger; equal to
 * TA-Lib BBANDS with the simple average.
 */
export function createBollinger(
  { length, deviations }: { readonly length: number; readonly deviations: number },
  saved?: IndicatorState,
): Bollinger {
  const window = createWindowDeviation(length, partOf(saved, 'window'));
  return {
    push: (value) => window.push(value),
    get ready() {
      return window.ready;
    },
    get middle() {
      return window.mean();
    },
    get upper() {
      return window.mean() + deviations * window.deviation();
    },
    get lower() {
      return window.mean() - deviations * window.deviation();
    },
    state: () => ({ window: window.state() }),
  };
}
