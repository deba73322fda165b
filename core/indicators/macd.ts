import { createEma } from './ema.ts';
import { type Indicator, type IndicatorState, partOf } from './indicator.ts';

interface Macd extends Indicator {
  push(value: number): void;
  /** Fast average minus slow average, there `signal - 1` values before the rest. */
  readonly value: number;
  readonly signal: number;
  readonly histogram: number;
}

/**
 * Moving average convergence/divergence: EMA(fast) - EMA(slow), its EMA(signal), and their difference. Each EMA has its
 * own seed, the mean of its first values. Ready after `slow + signal - 1` values. Source: Gerald Appel; TA-Lib seeds
 * the fast average at the slow one's start, equal to 1e-9 after about `10 * slow` values.
 */
export function createMacd(
  { fast, slow, signal }: { readonly fast: number; readonly slow: number; readonly signal: number },
  saved?: IndicatorState,
): Macd {
  const fastAverage = createEma(fast, partOf(saved, 'fast'));
  const slowAverage = createEma(slow, partOf(saved, 'slow'));
  const signalAverage = createEma(signal, partOf(saved, 'signal'));
  return {
    push(value) {
      fastAverage.push(value);
      slowAverage.push(value);
      if (slowAverage.ready) signalAverage.push(fastAverage.value - slowAverage.value);
    },
    get ready() {
      return signalAverage.ready;
    },
    get value() {
      return fastAverage.value - slowAverage.value;
    },
    get signal() {
      return signalAverage.value;
    },
    get histogram() {
      return fastAverage.value - slowAverage.value - signalAverage.value;
    },
    state: () => ({ fast: fastAverage.state(), slow: slowAverage.state(), signal: signalAverage.state() }),
  };
}
