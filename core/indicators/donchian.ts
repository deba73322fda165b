import { type Bar, type Indicator, type IndicatorState, partOf } from './indicator.ts';
import { createWindowRange } from './window-range.ts';

interface Donchian extends Indicator {
  push(bar: Bar): void;
  readonly upper: number;
  readonly lower: number;
  readonly middle: number;
}

/**
 * Donchian channel: the highest high, the lowest low and their middle, of the last `length` candles with the newest
 * among them. No seed. Ready after `length` candles. Source: Richard Donchian.
 */
export function createDonchian(length: number, saved?: IndicatorState): Donchian {
  const range = createWindowRange(length, partOf(saved, 'range'));
  return {
    push: (bar) => range.push(bar.high, bar.low),
    get ready() {
      return range.ready;
    },
    get upper() {
      return range.high;
    },
    get lower() {
      return range.low;
    },
    get middle() {
      return (range.high + range.low) / 2;
    },
    state: () => ({ range: range.state() }),
  };
}
