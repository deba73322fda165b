import { type IndicatorState, type LineIndicator, numberOf, partOf } from './indicator.ts';
import { createWindowDeviation } from './window-deviation.ts';

/**
 * Distance of the newest of the last `length` values from their mean, in population standard deviations. The mean includes
 * the newest value. Equal values give 0. No seed. Ready after `length` values.
 */
export function createZScore(length: number, saved?: IndicatorState): LineIndicator {
  const window = createWindowDeviation(length, partOf(saved, 'window'));
  const s = { last: numberOf(saved, 'last') };
  return {
    push(value) {
      window.push(value);
      s.last = value;
    },
    get ready() {
      return window.ready;
    },
    get value() {
      const deviation = window.deviation();
      return deviation === 0 ? 0 : (s.last - window.mean()) / deviation;
    },
    state: () => ({ ...s, window: window.state() }),
  };
}
