import { createEma } from './ema.ts';
import { type Bar, type Indicator, type IndicatorState, numberOf, partOf } from './indicator.ts';

interface ElderPower extends Indicator {
  push(bar: Bar): void;
  /** High minus the average: how far buyers pushed above it. */
  readonly bull: number;
  /** Low minus the average: how far sellers pushed below it. */
  readonly bear: number;
}

/**
 * Bull and bear power: the high and the low against EMA(length) of the closes, seeded as in `createEma`; length 13 as
 * published. Ready after `length` candles. Source: Alexander Elder, Trading for a Living, 1993.
 */
export function createElderPower(length: number, saved?: IndicatorState): ElderPower {
  const average = createEma(length, partOf(saved, 'average'));
  const s = { high: numberOf(saved, 'high'), low: numberOf(saved, 'low') };
  return {
    push({ high, low, close }) {
      average.push(close);
      s.high = high;
      s.low = low;
    },
    get ready() {
      return average.ready;
    },
    get bull() {
      return s.high - average.value;
    },
    get bear() {
      return s.low - average.value;
    },
    state: () => ({ ...s, average: average.state() }),
  };
}
