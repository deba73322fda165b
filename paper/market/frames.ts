const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Weeks start on Monday; the epoch started on a Thursday. */
const WEEK_SHIFT = 3 * DAY;

/** Every candle interval of the exchange. A month has its greatest length. */
const LENGTHS = {
  '1s': SECOND,
  '1m': MINUTE,
  '3m': 3 * MINUTE,
  '5m': 5 * MINUTE,
  '15m': 15 * MINUTE,
  '30m': 30 * MINUTE,
  '1h': HOUR,
  '2h': 2 * HOUR,
  '4h': 4 * HOUR,
  '6h': 6 * HOUR,
  '8h': 8 * HOUR,
  '12h': 12 * HOUR,
  '1d': DAY,
  '3d': 3 * DAY,
  '1w': 7 * DAY,
  '1M': 31 * DAY,
} as const;

export type KlineInterval = keyof typeof LENGTHS;
export const KLINE_INTERVALS: readonly KlineInterval[] = [
  ...(['1s', '1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '6h', '8h', '12h', '1d', '3d', '1w', '1M'] as const),
];
export const isKlineInterval = (text: string): text is KlineInterval =>
  KLINE_INTERVALS.some((interval) => interval === text);

/** How time is cut into candles of one interval in one time zone. */
export interface Frame {
  /** The greatest length of a candle. */
  readonly lengthMs: number;
  /** Own candles of a coin fit into the frame's candles if their length divides this. */
  readonly unitMs: number;
  /** Open of the candle that contains `ms`. */
  openOf(ms: number): number;
}

/** `offsetMs`: offset of the time zone from UTC, ahead is positive. */
export function frameOf(interval: KlineInterval, offsetMs = 0): Frame {
  const lengthMs = LENGTHS[interval];
  if (interval === '1M') return { lengthMs, unitMs: unitOf(DAY, offsetMs), openOf: (ms) => monthOf(ms, offsetMs) };
  const shift = offsetMs + (interval === '1w' ? WEEK_SHIFT : 0);
  const openOf = (ms: number): number => ms - ((((ms + shift) % lengthMs) + lengthMs) % lengthMs);
  return { lengthMs, unitMs: unitOf(lengthMs, offsetMs), openOf };
}

function monthOf(ms: number, offsetMs: number): number {
  const local = new Date(ms + offsetMs);
  return Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), 1) - offsetMs;
}

/** The greatest length that divides both the candle and the offset of its time zone. */
function unitOf(lengthMs: number, offsetMs: number): number {
  let [a, b] = [lengthMs, Math.abs(offsetMs)];
  while (b > 0) [a, b] = [b, a % b];
  return a;
}

/** Open of the candle after the one that opened at `openMs`. */
export const nextOpen = (frame: Frame, openMs: number): number => frame.openOf(openMs + frame.lengthMs);

const ZONE = /^([+-]?)(\d{1,2})(?::([0-5]\d))?$/;

/** Offset of a time zone such as `8`, `+08:00` or `-1:00` from UTC; undefined outside -12:00 to +14:00. */
export function readZone(text: string): number | undefined {
  const [, sign, hours, minutes] = ZONE.exec(text) ?? [];
  if (hours === undefined) return undefined;
  const ahead = Number(hours) * HOUR + Number(minutes ?? 0) * MINUTE;
  const offsetMs = sign === '-' ? -ahead : ahead;
  return offsetMs < -12 * HOUR || offsetMs > 14 * HOUR ? undefined : offsetMs;
}
