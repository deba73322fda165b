import { type IndicatorState, type LineIndicator, partOf } from './indicator.ts';
import { createWma } from './wma.ts';

/**
 * Hull moving average: `WMA(2 * WMA(length / 2) - WMA(length), sqrt(length))`, both inner lengths rounded down. No
 * seed. Ready after `length + floor(sqrt(length)) - 1` values. Source: Alan Hull, 2005; rounding as in TradingView and
 * Tulip.
 */
export function createHma(length: number, saved?: IndicatorState): LineIndicator {
  const half = createWma(Math.max(1, Math.floor(length / 2)), partOf(saved, 'half'));
  const whole = createWma(length, partOf(saved, 'whole'));
  const smooth = createWma(Math.max(1, Math.floor(Math.sqrt(length))), partOf(saved, 'smooth'));
  return {
    push(value) {
      half.push(value);
      whole.push(value);
      if (whole.ready) smooth.push(2 * half.value - whole.value);
    },
    get ready() {
      return smooth.ready;
    },
    get value() {
      return smooth.value;
    },
    state: () => ({ half: half.state(), whole: whole.state(), smooth: smooth.state() }),
  };
}
