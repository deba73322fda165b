import {
  absolute,
  add,
  type Decimal,
  divide,
  formatDecimal,
  formatFixed,
  formatRounded,
  multiply,
  ONE,
  readDecimal,
  requireDecimal,
  subtract,
  toNumber,
} from '#core/amount/decimal.ts';
import { moneyPlaces } from '#core/amount/money-places.ts';

export const MINUS = '\u2212';
export const NARROW_SPACE = '\u202f';
export const MISSING = '–';

const TEN = requireDecimal('10');
const group = (digits: string): string => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',');

/** Exactly `places` decimals, rounded half away from zero, comma groups, U+2212 for minus. */
export function fixed(value: Decimal, places: number): string {
  const rounded = formatRounded(absolute(value), places);
  const [whole = '0', fraction] = rounded.split('.');
  const text = `${group(whole)}${fraction === undefined ? '' : `.${fraction}`}`;
  return value < 0n && /[1-9]/.test(text) ? `${MINUS}${text}` : text;
}

/** Like fixed, with a plus in front of what is above zero after rounding. */
export function signed(value: Decimal, places: number): string {
  const text = fixed(value, places);
  return value > 0n && /[1-9]/.test(text) ? `+${text}` : text;
}

/** How many decimals a step such as `0.0100` allows; `fallback` when there is no step. */
export function decimalsOf(step: string | null, fallback: number): number {
  const value = step === null ? undefined : readDecimal(step);
  if (value === undefined || value === 0n || step === null) return fallback;
  return step.split('.')[1]?.replace(/0+$/, '').length ?? 0;
}

const text = (value: string | null, places: number): string => {
  const decimal = value === null ? undefined : readDecimal(value);
  return decimal === undefined ? MISSING : fixed(decimal, places);
};

/** Money in quote units, with the decimals of its asset. */
export const money = (value: string | null, asset?: string | null): string => text(value, moneyPlaces(asset));
export const price = (value: string | null, tickSize: string | null): string => text(value, decimalsOf(tickSize, 2));

/** A quantity in whole steps, rounded down: never more than can be sold. */
export function quantity(value: string | null, stepSize: string | null): string {
  const decimal = value === null ? undefined : readDecimal(value);
  if (decimal === undefined) return MISSING;
  const places = decimalsOf(stepSize, 8);
  return fixed(requireDecimal(formatFixed(decimal, places)), places);
}

/** A decimal text with at least two decimals, never shortened: `29455.1` is `29455.10`. */
export function atLeastCents(value: string): string {
  const [whole = '', fraction = ''] = value.split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}

/** `1 order`, `2 orders`. */
export const count = (n: number, noun: string): string => `${group(String(n))} ${noun}${n === 1 ? '' : 's'}`;

/** A plain number for an axis: `places` decimals, comma groups, U+2212 for minus. */
export const numberText = (value: number, places: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places }).replace('-', MINUS);

/** A share such as 0.084 as `8.4 %`. */
export function percent(share: number, places = 1): string {
  const size = Math.abs(share * 100).toFixed(places);
  return `${share < 0 && Number(size) !== 0 ? MINUS : ''}${size}${NARROW_SPACE}%`;
}

export const signedPercent = (share: number, places = 2): string =>
  share * 100 >= 0.5 / 10 ** places ? `+${percent(share, places)}` : percent(share, places);

/** `to` against `from` as a share; `null` when it is undefined. */
export function change(from: Decimal, to: Decimal): number | null {
  return from === 0n ? null : toNumber(divide(subtract(to, from), from));
}

/** How far `percentText` below or above 1 lies as a multiplier: `3` below is `0.97`. `undefined` when it is no number. */
export function multiplierOf(percentText: string, side: 'below' | 'above'): string | undefined {
  const part = readDecimal(percentText.trim().replace(',', '.'));
  if (part === undefined) return undefined;
  const share = divide(part, multiply(TEN, TEN));
  const value = side === 'below' ? subtract(ONE, share) : add(ONE, share);
  return formatDecimal(value);
}

export const SAME = 'the same';

/** A stored multiplier as text: `0.97` is `3 % below`, `1.004` is `0.4 % above`. */
export function multiplierText(multiplier: string): string | undefined {
  const value = readDecimal(multiplier);
  if (value === undefined || value <= 0n) return undefined;
  const share = Number((toNumber(subtract(value, ONE)) * 100).toFixed(6));
  if (share === 0) return SAME;
  return `${Math.abs(share)}${NARROW_SPACE}% ${share < 0 ? 'below' : 'above'}`;
}
