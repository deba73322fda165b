import {
  add,
  type Decimal,
  divide,
  formatDecimal,
  multiply,
  ONE,
  readDecimal,
  requireDecimal,
  subtract,
  ZERO,
} from '#core/amount/decimal.ts';

/**
 * How a stored value and the percent in a form belong together. `below`: 0.97 is 3; `above`: 1.03 is 3; `around`: 1.03 is 3
 * and 0.97 is -3; `share`: 0.03 is 3; `bps`: 300 is 3.
 */
export type Scale = 'below' | 'above' | 'around' | 'share' | 'bps';

const HUNDRED = requireDecimal('100');
const SCALES: readonly string[] = ['below', 'above', 'around', 'share', 'bps'] satisfies Scale[];
export const isScale = (value: unknown): value is Scale => typeof value === 'string' && SCALES.includes(value);

/** A distance from a price, not a share of an amount. */
export const isDistance = (scale: Scale): boolean => scale !== 'share' && scale !== 'bps';

/** The value that is 0 %. */
const baseOf = (scale: Scale): Decimal => (scale === 'share' || scale === 'bps' ? ZERO : ONE);

function toPercent(scale: Scale, value: Decimal): Decimal {
  if (scale === 'bps') return divide(value, HUNDRED);
  const distance = subtract(value, baseOf(scale));
  return multiply(scale === 'below' ? subtract(ZERO, distance) : distance, HUNDRED);
}

function fromPercent(scale: Scale, percent: Decimal): Decimal {
  if (scale === 'bps') return multiply(percent, HUNDRED);
  const distance = divide(percent, HUNDRED);
  return add(baseOf(scale), scale === 'below' ? subtract(ZERO, distance) : distance);
}

/** A stored value in percent, exact: `0.97` below is `3`. `undefined` for a text that is no number or has too many decimals. */
export function percentOf(scale: Scale, stored: string): string | undefined {
  const value = readDecimal(stored);
  if (value === undefined) return undefined;
  const percent = toPercent(scale, value);
  return fromPercent(scale, percent) === value ? formatDecimal(percent) : undefined;
}

/** A typed percent as the stored value, exact. `undefined` for a text that is no number or has too many decimals. */
export function storedOf(scale: Scale, typed: string): string | undefined {
  const percent = readDecimal(typed.trim().replace(',', '.').replace('\u2212', '-').replace(/^\+/, ''));
  if (percent === undefined) return undefined;
  const value = fromPercent(scale, percent);
  return toPercent(scale, value) === percent ? formatDecimal(value) : undefined;
}
