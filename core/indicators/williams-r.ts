import { type BarIndicator, type IndicatorState, numberOf, partOf } from './indicator.ts';
import { createWindowRange } from './window-range.ts';

/**
 * Williams %R, -100 to 0: how far the close is below the highest high, in parts of the range of `length` candles.
 * No seed. A range of 0 gives -50 (TA-Lib: 0). Ready after `length` candles. Source: Larry Williams; else equal to
 * TA-Lib WILLR.
 */
export function createWilliamsR(length: number, saved?: IndicatorState): BarIndicator {
  const range = createWindowRange(length, partOf(saved, 'range'));
  const s = { close: numberOf(saved, 'close') };
  return {
    push(bar) {
      range.push(bar.high, bar.low);
      s.close = bar.close;
    },
    get ready() {
      return range.ready;
    },
    get value() {
      const width = range.high - range.low;
      return width === 0 ? -50 : (100 * (s.close - range.high)) / width;
    },
    state: () => ({ ...s, range: range.state() }),
  };
}
