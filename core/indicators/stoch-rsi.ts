import { type Indicator, type IndicatorState, partOf } from './indicator.ts';
import { createRsi } from './rsi.ts';
import { createStochasticLines, type StochasticLengths } from './stochastic.ts';

interface StochRsi extends Indicator {
  push(value: number): void;
  readonly k: number;
  readonly d: number;
}

/**
 * Stochastic RSI, 0 to 100: the place of Wilder's RSI(rsi) between its lowest and highest of `length` values; %K is
 * the simple mean of `smooth` of these, %D of `signal` %K. An RSI that did not move gives 50. Ready after `rsi + length
 * + smooth + signal - 2` values. Source: Chande and Kroll, 1994, smoothed as in TradingView.
 */
export function createStochRsi(
  { rsi: rsiLength, ...lengths }: StochasticLengths & { readonly rsi: number },
  saved?: IndicatorState,
): StochRsi {
  const rsi = createRsi(rsiLength, partOf(saved, 'rsi'));
  const lines = createStochasticLines(lengths, partOf(saved, 'lines'));
  return {
    push(value) {
      rsi.push(value);
      if (!rsi.ready) return;
      const strength = rsi.value;
      lines.push(strength, strength, strength);
    },
    get ready() {
      return lines.ready;
    },
    get k() {
      return lines.k;
    },
    get d() {
      return lines.d;
    },
    state: () => ({ rsi: rsi.state(), lines: lines.state() }),
  };
}
