import type { Candle } from '#core/market/candle.ts';
import { type Indicator, type IndicatorState, numberOf, typicalPrice } from './indicator.ts';

interface Vwap extends Indicator {
  push(candle: Pick<Candle, 'openMs' | 'high' | 'low' | 'close' | 'volume'>): void;
  readonly value: number;
}

/**
 * Volume weighted average price since the session began: sum of typical price times volume over sum of volume. A
 * session is a span of `sessionMs` counted from 1970 (86,400,000: the UTC day) and restarts with its first candle.
 * While a session has no volume, the typical price of its last candle is used. Ready after one candle.
 */
export function createVwap(sessionMs: number, saved?: IndicatorState): Vwap {
  const s = {
    count: numberOf(saved, 'count'),
    session: numberOf(saved, 'session'),
    turnover: numberOf(saved, 'turnover'),
    volume: numberOf(saved, 'volume'),
    typical: numberOf(saved, 'typical'),
  };
  return {
    push(candle) {
      const session = Math.floor(candle.openMs / sessionMs);
      if (s.count === 0 || session !== s.session) {
        s.session = session;
        s.turnover = 0;
        s.volume = 0;
      }
      s.count += 1;
      s.typical = typicalPrice(candle);
      s.turnover += s.typical * candle.volume;
      s.volume += candle.volume;
    },
    get ready() {
      return s.count > 0;
    },
    get value() {
      if (s.count === 0) return Number.NaN;
      return s.volume > 0 ? s.turnover / s.volume : s.typical;
    },
    state: () => ({ ...s }),
  };
}
