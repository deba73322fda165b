import { type BarIndicator, type IndicatorState, partOf } from './indicator.ts';
import { createSma } from './sma.ts';

/**
 * Awesome oscillator: the simple mean of `fast` candle middles, `(high + low) / 2`, minus that of `slow` ones; 5 and 34
 * as published. No seed. Ready after `slow` candles. Source: Bill Williams, 1995.
 */
export function createAwesome(
  { fast, slow }: { readonly fast: number; readonly slow: number },
  saved?: IndicatorState,
): BarIndicator {
  const fastMean = createSma(fast, partOf(saved, 'fast'));
  const slowMean = createSma(slow, partOf(saved, 'slow'));
  return {
    push(bar) {
      const middle = (bar.high + bar.low) / 2;
      fastMean.push(middle);
      slowMean.push(middle);
    },
    get ready() {
      return slowMean.ready;
    },
    get value() {
      return fastMean.value - slowMean.value;
    },
    state: () => ({ fast: fastMean.state(), slow: slowMean.state() }),
  };
}
