import { type BarIndicator, type IndicatorState, numberOf, partOf, typicalPrice } from './indicator.ts';
import { createWindowSum } from './window-sum.ts';

/**
 * Money flow index, 0 to 100: of typical price times volume over the last `length` changes, the share that came with a
 * rising typical price; what came with an unchanged one counts for neither side. No seed. No flow at all gives 50
 * (TA-Lib: 0). Ready after `length + 1` candles. Source: Quong and Soudack, 1989; else equal to TA-Lib MFI.
 */
export function createMfi(length: number, saved?: IndicatorState): BarIndicator {
  const rising = createWindowSum(length, partOf(saved, 'rising'));
  const falling = createWindowSum(length, partOf(saved, 'falling'));
  const s = { count: numberOf(saved, 'count'), typical: numberOf(saved, 'typical') };
  return {
    push(bar) {
      const typical = typicalPrice(bar);
      if (s.count > 0) {
        const flow = typical * bar.volume;
        rising.push(typical > s.typical ? flow : 0);
        falling.push(typical < s.typical ? flow : 0);
      }
      s.count += 1;
      s.typical = typical;
    },
    get ready() {
      return rising.ready;
    },
    get value() {
      if (!rising.ready) return Number.NaN;
      const flow = rising.sum() + falling.sum();
      return flow === 0 ? 50 : (100 * rising.sum()) / flow;
    },
    state: () => ({ ...s, rising: rising.state(), falling: falling.state() }),
  };
}
