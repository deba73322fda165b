import { deny } from '#paper/exchange/refusal.ts';

/** The unit of times in answers and events. Times that a client sends may be in either unit. */
const TIME_UNITS = ['MILLISECOND', 'MICROSECOND'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

/** Refuses unknown units; absent means milliseconds. */
export function readTimeUnit(text: string | undefined): TimeUnit {
  const unit = TIME_UNITS.find((candidate) => candidate === (text ?? 'MILLISECOND').toUpperCase());
  return unit ?? deny(-1194, 'Invalid value for time unit; expected either MICROSECOND or MILLISECOND.');
}

/** JSON with times in the unit. */
export const encode = (body: unknown, unit: TimeUnit): string =>
  unit === 'MILLISECOND' ? JSON.stringify(body) : JSON.stringify(body, inMicroseconds);

/** Milliseconds since 1970 are in this range until the year 2286. Ids of this exchange stay below it. */
const [LEAST_MS, MOST_MS] = [1e12, 1e13];
/** Numbers that clients choose, by their long and their short names. */
const CHOSEN = ['strategyId', 'strategyType', 'j', 'J'];

function inMicroseconds(this: object, key: string, value: unknown): unknown {
  if (typeof value !== 'number' || value < LEAST_MS || value >= MOST_MS || CHOSEN.includes(key)) return value;
  const endsCandle = key === '6' || (key === 'T' && 'x' in this);
  return endsCandle ? (value + 1) * 1000 - 1 : value * 1000;
}
