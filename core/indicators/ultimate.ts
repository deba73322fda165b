import { type BarIndicator, type IndicatorState, numberOf, partOf } from './indicator.ts';
import { createWindowSum } from './window-sum.ts';

/**
 * Ultimate oscillator, 0 to 100: buying pressure `close - min(low, prevClose)` over true range, summed over three
 * lengths (7, 14 and 28 as published) and weighed 4, 2 and 1. No seed. A window without any range counts as one half.
 * Ready after `long + 1` candles. Source: Larry Williams, 1985; equal to TA-Lib ULTOSC.
 */
export function createUltimate(
  { short, middle, long }: { readonly short: number; readonly middle: number; readonly long: number },
  saved?: IndicatorState,
): BarIndicator {
  const s = { count: numberOf(saved, 'count'), close: numberOf(saved, 'close') };
  const windows = { short, middle, long };
  const pressure = (name: keyof typeof windows) => createWindowSum(windows[name], partOf(saved, `${name}Pressure`));
  const range = (name: keyof typeof windows) => createWindowSum(windows[name], partOf(saved, `${name}Range`));
  const pressures = { short: pressure('short'), middle: pressure('middle'), long: pressure('long') };
  const ranges = { short: range('short'), middle: range('middle'), long: range('long') };
  const share = (name: keyof typeof windows): number => {
    const sum = ranges[name].sum();
    return sum === 0 ? 0.5 : pressures[name].sum() / sum;
  };
  return {
    push({ high, low, close }) {
      if (s.count > 0) {
        const bottom = Math.min(low, s.close);
        const bought = close - bottom;
        const width = Math.max(high, s.close) - bottom;
        pressures.short.push(bought);
        pressures.middle.push(bought);
        pressures.long.push(bought);
        ranges.short.push(width);
        ranges.middle.push(width);
        ranges.long.push(width);
      }
      s.count += 1;
      s.close = close;
    },
    get ready() {
      return ranges.long.ready;
    },
    get value() {
      if (!ranges.long.ready) return Number.NaN;
      return (100 * (4 * share('short') + 2 * share('middle') + share('long'))) / 7;
    },
    state: () => ({
      ...s,
      shortPressure: pressures.short.state(),
      middlePressure: pressures.middle.state(),
      longPressure: pressures.long.state(),
      shortRange: ranges.short.state(),
      middleRange: ranges.middle.state(),
      longRange: ranges.long.state(),
    }),
  };
}
