import { type Bar, type Indicator, type IndicatorState, partOf } from './indicator.ts';
import { createWindowRange } from './window-range.ts';
import { createWindowSum } from './window-sum.ts';

export interface StochasticLengths {
  readonly length: number;
  /** Number of raw values in the mean %K; 1 for the fast stochastic. */
  readonly smooth: number;
  /** Number of %K values in the mean %D. */
  readonly signal: number;
}

interface StochasticLines extends Indicator {
  push(high: number, low: number, close: number): void;
  /** %K, there `signal - 1` values before %D. */
  readonly k: number;
  readonly d: number;
}

/** %K and %D of any series with a high and a low; a range of 0 counts as the middle, 50. */
export function createStochasticLines(lengths: StochasticLengths, saved?: IndicatorState): StochasticLines {
  const { length, smooth, signal } = lengths;
  const range = createWindowRange(length, partOf(saved, 'range'));
  const raws = createWindowSum(smooth, partOf(saved, 'raws'));
  const ks = createWindowSum(signal, partOf(saved, 'ks'));
  return {
    push(high, low, close) {
      range.push(high, low);
      if (!range.ready) return;
      const width = range.high - range.low;
      raws.push(width === 0 ? 50 : (100 * (close - range.low)) / width);
      if (raws.ready) ks.push(raws.sum() / smooth);
    },
    get ready() {
      return ks.ready;
    },
    get k() {
      return raws.ready ? raws.sum() / smooth : Number.NaN;
    },
    get d() {
      return ks.ready ? ks.sum() / signal : Number.NaN;
    },
    state: () => ({ range: range.state(), raws: raws.state(), ks: ks.state() }),
  };
}

interface Stochastic extends Indicator {
  push(bar: Bar): void;
  readonly k: number;
  readonly d: number;
}

/**
 * Slow stochastic oscillator, 0 to 100: the place of the close between the lowest low and the highest high of `length`
 * candles; %K is the simple mean of `smooth` of these, %D of `signal` %K. No seed. A range of 0 gives 50 (TA-Lib: 0).
 * Ready after `length + smooth + signal - 2` candles. Source: George Lane; equal to TA-Lib STOCH with simple averages.
 */
export function createStochastic(lengths: StochasticLengths, saved?: IndicatorState): Stochastic {
  const lines = createStochasticLines(lengths, partOf(saved, 'lines'));
  return {
    push: (bar) => lines.push(bar.high, bar.low, bar.close),
    get ready() {
      return lines.ready;
    },
    get k() {
      return lines.k;
    },
    get d() {
      return lines.d;
    },
    state: () => ({ lines: lines.state() }),
  };
}
