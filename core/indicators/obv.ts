import { type BarIndicator, type IndicatorState, numberOf } from './indicator.ts';

/**
 * On-balance volume: a candle's volume is added when its close is above the close before, subtracted when below. Begins
 * with 0 at the first candle (TA-Lib begins with that candle's volume: a constant difference); only its changes mean
 * anything. Ready after one candle. Source: Joseph Granville, 1963.
 */
export function createObv(saved?: IndicatorState): BarIndicator {
  const s = { count: numberOf(saved, 'count'), value: numberOf(saved, 'value'), close: numberOf(saved, 'close') };
  return {
    push({ close, volume }) {
      if (s.count > 0 && close > s.close) s.value += volume;
      else if (s.count > 0 && close < s.close) s.value -= volume;
      s.count += 1;
      s.close = close;
    },
    get ready() {
      return s.count > 0;
    },
    get value() {
      return s.count > 0 ? s.value : Number.NaN;
    },
    state: () => ({ ...s }),
  };
}
