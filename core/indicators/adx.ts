import { trueRange } from './atr.ts';
import { type Bar, type Indicator, type IndicatorState, numberOf, partOf } from './indicator.ts';
import { createWilder } from './wilder.ts';

interface Adx extends Indicator {
  push(bar: Bar): void;
  /** The directional indicators +DI and -DI, 0 to 100, there after `length + 1` candles. */
  readonly plus: number;
  readonly minus: number;
  /** The average directional index, 0 to 100. */
  readonly value: number;
}

/**
 * Directional movement: the greater of the high's rise and the low's fall, if above 0. `DI = 100 * movement / true
 * range`, both Wilder averages; `DX = 100 * |plus - minus| / (plus + minus)`, ADX its Wilder average; seeds are means
 * of `length`; no range gives 0. Ready after `2 * length` candles. Wilder, 1978; TA-Lib has another seed and agrees after
 * `22 * length`.
 */
export function createAdx(length: number, saved?: IndicatorState): Adx {
  const ranges = createWilder(length, partOf(saved, 'ranges'));
  const rises = createWilder(length, partOf(saved, 'rises'));
  const falls = createWilder(length, partOf(saved, 'falls'));
  const average = createWilder(length, partOf(saved, 'average'));
  const s = {
    count: numberOf(saved, 'count'),
    high: numberOf(saved, 'high'),
    low: numberOf(saved, 'low'),
    close: numberOf(saved, 'close'),
  };
  const share = (movement: number): number => (ranges.value === 0 ? 0 : (100 * movement) / ranges.value);
  const index = (plus: number, minus: number): number =>
    plus + minus === 0 ? 0 : (100 * Math.abs(plus - minus)) / (plus + minus);
  return {
    push(bar) {
      if (s.count > 0) {
        const rise = bar.high - s.high;
        const fall = s.low - bar.low;
        ranges.push(trueRange(bar.high, bar.low, s.close));
        rises.push(rise > fall && rise > 0 ? rise : 0);
        falls.push(fall > rise && fall > 0 ? fall : 0);
        if (ranges.ready) average.push(index(share(rises.value), share(falls.value)));
      }
      s.count += 1;
      s.high = bar.high;
      s.low = bar.low;
      s.close = bar.close;
    },
    get ready() {
      return average.ready;
    },
    get plus() {
      return share(rises.value);
    },
    get minus() {
      return share(falls.value);
    },
    get value() {
      return average.value;
    },
    state: () => ({
      ...s,
      ranges: ranges.state(),
      rises: rises.state(),
      falls: falls.state(),
      average: average.state(),
    }),
  };
}
