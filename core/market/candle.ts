export const INTERVALS = ['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '1d'] as const;
export type Interval = (typeof INTERVALS)[number];

const MINUTE = 60_000;
export const INTERVAL_MS: Readonly<Record<Interval, number>> = {
  '1m': MINUTE,
  '3m': 3 * MINUTE,
  '5m': 5 * MINUTE,
  '15m': 15 * MINUTE,
  '30m': 30 * MINUTE,
  '1h': 60 * MINUTE,
  '2h': 120 * MINUTE,
  '4h': 240 * MINUTE,
  '1d': 1440 * MINUTE,
};

export const isInterval = (text: string): text is Interval => INTERVALS.some((interval) => interval === text);

/** One candle; times in ms UTC, prices as float64 quote prices, `closeMs` = openMs + interval (exclusive end). */
export interface Candle {
  readonly openMs: number;
  readonly closeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  readonly closed: boolean;
}

/** Columns of one candle series, all of the same length; `openMs` ascending, unique, on the interval grid. */
export interface CandleColumns {
  readonly openMs: Float64Array;
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  readonly volume: Float64Array;
}

/** The open time of the candle that contains `ms`. */
export const openOf = (ms: number, interval: Interval): number => ms - (ms % INTERVAL_MS[interval]);

/** Maximum number of closed candles of one request to the exchange. No window is longer. */
export const MOST_CLOSED = 999;
