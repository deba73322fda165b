import { type BarIndicator, type IndicatorState, numberOf, partOf, typicalPrice } from './indicator.ts';
import { createWindowDeviation } from './window-deviation.ts';

/**
 * Commodity channel index: `(typical - mean) / (0.015 * mean absolute deviation)` of `length` typical prices. No seed.
 * Equal prices give 0. Ready after `length` candles. The deviation has no recurrence, as the mean moves under every
 * value: one pass over the window for each candle. Source: Donald Lambert, 1980; equal to TA-Lib.
 */
export function createCci(length: number, saved?: IndicatorState): BarIndicator {
  const window = createWindowDeviation(length, partOf(saved, 'window'));
  const s = { value: numberOf(saved, 'value') };
  return {
    push(bar) {
      const typical = typicalPrice(bar);
      window.push(typical);
      if (!window.ready) return;
      const mean = window.mean();
      let away = 0;
      for (let i = 0; i < length; i += 1) away += Math.abs((window.values[i] ?? 0) - mean);
      s.value = away === 0 ? 0 : (typical - mean) / (0.015 * (away / length));
    },
    get ready() {
      return window.ready;
    },
    get value() {
      return window.ready ? s.value : Number.NaN;
    },
    state: () => ({ ...s, window: window.state() }),
  };
}
