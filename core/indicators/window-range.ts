import { type Indicator, type IndicatorState, numberOf, numbersOf } from './indicator.ts';
import { createWindowLow, type WindowLow } from './window-low.ts';

interface WindowRange extends Indicator {
  push(high: number, low: number): void;
  /** Of the last `length` candles; NaN before `ready`. */
  readonly high: number;
  readonly low: number;
}

function readWindow(length: number, saved: IndicatorState | undefined, side: 'low' | 'high'): WindowLow {
  const values = numbersOf(saved, side);
  const entries = numbersOf(saved, `${side}At`).map((index, i): [number, number] => [index, values[i] ?? 0]);
  return createWindowLow(length, { count: numberOf(saved, 'count'), entries });
}

/**
 * The highest high and the lowest low of the last `length` candles, each by a monotonic deque; the highs are kept with
 * their sign turned, so that the same window serves both. Ready after `length` candles.
 */
export function createWindowRange(length: number, saved?: IndicatorState): WindowRange {
  const lows = readWindow(length, saved, 'low');
  const highs = readWindow(length, saved, 'high');
  const s = { count: numberOf(saved, 'count') };
  return {
    push(high, low) {
      lows.push(low);
      // Zero less a value, so that a zero does not turn into a negative one that JSON forgets.
      highs.push(0 - high);
      s.count += 1;
    },
    get ready() {
      return s.count >= length;
    },
    get high() {
      return s.count < length ? Number.NaN : 0 - highs.low();
    },
    get low() {
      return s.count < length ? Number.NaN : lows.low();
    },
    state() {
      const [low, high] = [lows.entries(), highs.entries()];
      return {
        count: s.count,
        lowAt: low.map(([at]) => at),
        low: low.map(([, value]) => value),
        highAt: high.map(([at]) => at),
        high: high.map(([, value]) => value),
      };
    },
  };
}
