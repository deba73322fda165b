import { type IndicatorState, type LineIndicator, numberOf, partOf } from './indicator.ts';
import { createWilder } from './wilder.ts';

/**
 * Relative strength index, 0 to 100: `100 - 100 / (1 + gain / loss)` of Wilder's averages of the rises and of the
 * falls. Seed: the means over the first `length` changes. No loss gives 100, no change at all gives 50. Ready after
 * `length + 1` values. Source: Wilder, 1978; equal to TA-Lib RSI but for the flat series, where TA-Lib gives 0.
 */
export function createRsi(length: number, saved?: IndicatorState): LineIndicator {
  const gain = createWilder(length, partOf(saved, 'gain'));
  const loss = createWilder(length, partOf(saved, 'loss'));
  const s = { count: numberOf(saved, 'count'), last: numberOf(saved, 'last') };
  return {
    push(value) {
      if (s.count > 0) {
        gain.push(Math.max(value - s.last, 0));
        loss.push(Math.max(s.last - value, 0));
      }
      s.count += 1;
      s.last = value;
    },
    get ready() {
      return gain.ready;
    },
    get value() {
      const falls = loss.value;
      if (falls === 0) return gain.value === 0 ? 50 : 100;
      return 100 - 100 / (1 + gain.value / falls);
    },
    state: () => ({ ...s, gain: gain.state(), loss: loss.state() }),
  };
}
