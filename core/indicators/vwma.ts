import { type Indicator, type IndicatorState, partOf } from './indicator.ts';
import { createWindowSum } from './window-sum.ts';

interface Vwma extends Indicator {
  /** `price` is the close for the usual average, the typical price for a rolling VWAP. */
  push(price: number, volume: number): void;
  readonly value: number;
}

/**
 * Volume weighted moving average: sum of price times volume over sum of volume, of the last `length` candles. No seed.
 * A window without any volume gives the plain mean of its prices. Ready after `length` candles.
 */
export function createVwma(length: number, saved?: IndicatorState): Vwma {
  const prices = createWindowSum(length, partOf(saved, 'prices'));
  const turnovers = createWindowSum(length, partOf(saved, 'turnovers'));
  const volumes = createWindowSum(length, partOf(saved, 'volumes'));
  return {
    push(price, volume) {
      prices.push(price);
      turnovers.push(price * volume);
      volumes.push(volume);
    },
    get ready() {
      return prices.ready;
    },
    get value() {
      if (!prices.ready) return Number.NaN;
      const volume = volumes.sum();
      return volume > 0 ? turnovers.sum() / volume : prices.sum() / length;
    },
    state: () => ({ prices: prices.state(), turnovers: turnovers.state(), volumes: volumes.state() }),
  };
}
