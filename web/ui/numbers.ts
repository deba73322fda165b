import {
  absolute,
  type Decimal,
  divide,
  formatFixed,
  formatRounded,
  readDecimal,
  requireDecimal,
  subtract,
  toNumber,
} from '#core/amount/decimal.ts';
import { moneyPlaces } from '#core/amount/money-places.ts';

export const MINUS = '\u2212';
export const NARROW_SPACE = '\u202f';
export const MISSING = '–';

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
export const count = (n: number, noun: string): string => `${whole(n)} ${noun}${n === 1 ? '' : 's'}`;

/** Rounded half away from zero to `places` decimals, comma groups, U+2212 for minus; an en dash for no number. */
export const numberText = (value: number | null, places: number): string =>
  value === null
    ? MISSING
    : value
        .toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places })
        .replace('-', MINUS);

/** A count: `1,234`. */
export const whole = (value: number): string => numberText(value, 0);
/** A multiple such as a profit factor, or an amount of a backtest. */
export const twoDecimals = (value: number | null): string => numberText(value, 2);

/** A share such as 0.084 as `8.4 %`. Prices and positions have 2 places, results 1, rates and shares 0. */
export function percent(share: number | null, places = 1): string {
  if (share === null) return MISSING;
  const size = numberText(Math.abs(share * 100), places);
  return `${share < 0 && /[1-9]/.test(size) ? MINUS : ''}${size}${NARROW_SPACE}%`;
}

/** Like percent, with a plus in front of what is above zero after rounding. */
export function signedPercent(share: number | null, places = 2): string {
  const text = percent(share, places);
  return share !== null && share > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/** `to` against `from` as a share; `null` when it is undefined. */
export function change(from: Decimal, to: Decimal): number | null {
  return from === 0n ? null : toNumber(divide(subtract(to, from), from));
}
