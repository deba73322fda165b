import { createAtr } from './atr.ts';
import { type Bar, type Indicator, type IndicatorState, numberOf, partOf } from './indicator.ts';

interface Supertrend extends Indicator {
  push(bar: Bar): void;
  /** The band on the other side of the price: below it while rising, above it while falling. */
  readonly value: number;
  /** 1 rising, -1 falling, 0 before `ready`. */
  readonly direction: number;
}

/**
 * Supertrend: bands at `(high + low) / 2` plus and minus `multiplier` times ATR(length). The upper only falls and the
 * lower only rises, unless the previous close was beyond it; a close above the upper turns the trend up, below the lower
 * down. Begins falling, as in TradingView. Ready after `length + 1` candles. Source: Olivier Seban.
 */
export function createSupertrend(
  { length, multiplier }: { readonly length: number; readonly multiplier: number },
  saved?: IndicatorState,
): Supertrend {
  const atr = createAtr(length, partOf(saved, 'atr'));
  const s = {
    upper: numberOf(saved, 'upper'),
    lower: numberOf(saved, 'lower'),
    close: numberOf(saved, 'close'),
    direction: numberOf(saved, 'direction'),
  };
  const move = (upper: number, lower: number, close: number): void => {
    const begun = s.direction !== 0;
    s.upper = !begun || upper < s.upper || s.close > s.upper ? upper : s.upper;
    s.lower = !begun || lower > s.lower || s.close < s.lower ? lower : s.lower;
    if (s.direction === 1) s.direction = close < s.lower ? -1 : 1;
    else s.direction = close > s.upper ? 1 : -1;
  };
  return {
    push(bar) {
      atr.push(bar);
      if (atr.ready) {
        const middle = (bar.high + bar.low) / 2;
        const reach = multiplier * atr.value;
        move(middle + reach, middle - reach, bar.close);
      }
      s.close = bar.close;
    },
    get ready() {
      return s.direction !== 0;
    },
    get value() {
      if (s.direction === 0) return Number.NaN;
      return s.direction === 1 ? s.lower : s.upper;
    },
    get direction() {
      return s.direction;
    },
    state: () => ({ ...s, atr: atr.state() }),
  };
}
