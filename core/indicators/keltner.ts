import { createAtr } from './atr.ts';
import { createEma } from './ema.ts';
import { type Bar, type Indicator, type IndicatorState, partOf } from './indicator.ts';

interface Keltner extends Indicator {
  push(bar: Bar): void;
  readonly middle: number;
  readonly upper: number;
  readonly lower: number;
}

/**
 * Keltner channel: EMA(length) of the closes, plus and minus `multiplier` times ATR(atrLength), seeded as in
 * `createEma` and `createAtr`; 20, 10 and 2 are usual. Ready when both are. Source: Chester Keltner, 1960, as revised
 * by Linda Raschke.
 */
export function createKeltner(
  {
    length,
    atrLength,
    multiplier,
  }: { readonly length: number; readonly atrLength: number; readonly multiplier: number },
  saved?: IndicatorState,
): Keltner {
  const average = createEma(length, partOf(saved, 'average'));
  const atr = createAtr(atrLength, partOf(saved, 'atr'));
  return {
    push(bar) {
      average.push(bar.close);
      atr.push(bar);
    },
    get ready() {
      return average.ready && atr.ready;
    },
    get middle() {
      return average.value;
    },
    get upper() {
      return average.value + multiplier * atr.value;
    },
    get lower() {
      return average.value - multiplier * atr.value;
    },
    state: () => ({ average: average.state(), atr: atr.state() }),
  };
}
