import type { Candle } from '#core/market/candle.ts';

/**
 * Saved state of an indicator: plain JSON of finite numbers. A new indicator with the same parameters and this state
 * gives the same values as the first one, bit for bit.
 */
export interface IndicatorState {
  readonly [field: string]: number | readonly number[] | IndicatorState;
}

/** Fed once for each closed candle, oldest first. Values are NaN until `ready`. */
export interface Indicator {
  readonly ready: boolean;
  state(): IndicatorState;
}

/** One number in, one number out. */
export interface LineIndicator extends Indicator {
  push(value: number): void;
  readonly value: number;
}

/** The part of a candle that indicators read; quote prices, volume in base. */
export type Bar = Pick<Candle, 'high' | 'low' | 'close' | 'volume'>;

/** A candle in, one number out. */
export interface BarIndicator extends Indicator {
  push(bar: Bar): void;
  readonly value: number;
}

/** (high + low + close) / 3. */
export const typicalPrice = (bar: Pick<Bar, 'high' | 'low' | 'close'>): number => (bar.high + bar.low + bar.close) / 3;

const unfit = (field: string, wanted: string): Error =>
  new Error(`The saved state of an indicator does not fit: "${field}" is not ${wanted}. Start it again from candles.`);

/** The saved number; 0 without a state. Throws when the state is of another indicator. */
export function numberOf(saved: IndicatorState | undefined, field: string): number {
  if (saved === undefined) return 0;
  const value = saved[field];
  if (typeof value !== 'number') throw unfit(field, 'a number');
  return value;
}

/** The saved list, of any length; empty without a state. */
export function numbersOf(saved: IndicatorState | undefined, field: string): readonly number[] {
  if (saved === undefined) return [];
  const value = saved[field];
  if (!isNumbers(value)) throw unfit(field, 'a list of numbers');
  return value;
}

/** The saved list as an array of exactly `length` numbers; zeros without a state. */
export function ringOf(saved: IndicatorState | undefined, field: string, length: number): Float64Array {
  if (saved === undefined) return new Float64Array(length);
  const values = numbersOf(saved, field);
  if (values.length !== length) throw unfit(field, `a list of ${length} numbers`);
  return Float64Array.from(values);
}

/** The saved state of an indicator inside another one. */
export function partOf(saved: IndicatorState | undefined, field: string): IndicatorState | undefined {
  if (saved === undefined) return undefined;
  const value = saved[field];
  if (value === undefined || typeof value === 'number' || isNumbers(value)) throw unfit(field, 'a state');
  return value;
}

const isNumbers = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((item) => Number.isFinite(item));

/** Schema for stored JSON that may be the state of an indicator. */
export function isIndicatorState(value: unknown): value is IndicatorState {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((item) => Number.isFinite(item) || isNumbers(item) || isIndicatorState(item));
}
