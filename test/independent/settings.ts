import { type Fraction, NONE, parse } from './fraction.ts';

/** Reads settings by dotted path, with the default of the page where one is absent. */
export interface Settings {
  flag(path: string, fallback: boolean): boolean;
  count(path: string, fallback: number): number;
  text(path: string, fallback: string): string;
  /** A multiplier or an amount; 0 is off. */
  amount(path: string, fallback: string): Fraction;
  list(path: string): readonly Settings[];
}

function find(config: unknown, path: string): unknown {
  let value = config;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.entries(value).find(([key]) => key === name)?.[1];
  }
  return value;
}

export function settingsOf(config: unknown): Settings {
  const text = (path: string, fallback: string): string => {
    const value = find(config, path);
    return typeof value === 'string' ? value : fallback;
  };
  return {
    text,
    flag(path, fallback) {
      const value = find(config, path);
      return typeof value === 'boolean' ? value : fallback;
    },
    count(path, fallback) {
      const value = find(config, path);
      return typeof value === 'number' ? value : fallback;
    },
    amount(path, fallback) {
      const value = text(path, fallback);
      return value === '' ? NONE : parse(value);
    },
    list(path) {
      const value = find(config, path);
      return Array.isArray(value) ? value.map(settingsOf) : [];
    },
  };
}

const MINUTE_MS = 60_000;
const LENGTHS: Readonly<Record<string, number>> = {
  ...{ '1m': 1, '3m': 3, '5m': 5, '15m': 15, '30m': 30, '1h': 60, '2h': 120, '4h': 240, '1d': 1440 },
};

/** Milliseconds of an interval such as `15m`. */
export function lengthOf(interval: string): number {
  const minutes = LENGTHS[interval];
  if (minutes === undefined) throw new RangeError(`${interval} is no interval`);
  return minutes * MINUTE_MS;
}
