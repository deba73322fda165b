import { type BarIndicator, type IndicatorState, numberOf, partOf } from './indicator.ts';
import { createWilder } from './wilder.ts';

/** The range of a candle together with its gap to the close before it. */
export const trueRange = (high: number, low: number, prevClose: number): number =>
  Math.max(high - low, Math.abs(high - prevClose), Math.abs(low - prevClose));

/**
 * Average true range: Wilder's average of true ranges, the first of which belongs to the second candle. Seed: the mean
 * of the first `length` true ranges; then `a += (tr - a) / length`. Ready after `length + 1` candles. Source: Wilder,
 * 1978; equal to TA-Lib ATR.
 */
export function createAtr(length: number, saved?: IndicatorState): BarIndicator {
  const average = createWilder(length, partOf(saved, 'average'));
  const s = { count: numberOf(saved, 'count'), close: numberOf(saved, 'close') };
  return {
    push(bar) {
      if (s.count > 0) average.push(trueRange(bar.high, bar.low, s.close));
      s.count += 1;
      s.close = bar.close;
    },
    get ready() {
      return average.ready;
    },
    get value() {
      return average.value;
    },
    state: () => ({ ...s, average: average.state() }),
  };
}
