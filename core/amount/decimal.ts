/**
 * Exact decimals: a bigint scaled by 10^18, branded so that money never mixes with plain numbers.
 * Division and multiplication truncate towards zero at the 18th decimal.
 */
export type Decimal = bigint & { readonly __decimal: unique symbol };

const SCALE = 18;
const ONE_UNIT = 10n ** 18n;
/** Digits that a float64 holds exactly. */
const SAFE_DIGITS = 15;
/** No amount is longer. The check comes first, so that no text is slow to parse. */
const MAX_DECIMAL_CHARS = 64;
const POWERS = Array.from({ length: SCALE + 1 }, (_, power) => 10n ** BigInt(power));
const PATTERN = /^(-?)(\d+)(?:\.(\d*))?$/;

const brand = (value: bigint): Decimal => value as Decimal;

export const ZERO = brand(0n);
export const ONE = brand(ONE_UNIT);

/** Digits without the zeros at their end. A regex would take quadratic time on zeros that do not end the text. */
function withoutEndZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 48) end--;
  return digits.slice(0, end);
}

/** Text such as `-12.5` to a decimal; `undefined` when it is not plain decimal text, too long, or has over 18 decimals. */
export function readDecimal(text: string): Decimal | undefined {
  if (text.length > MAX_DECIMAL_CHARS) return undefined;
  const match = PATTERN.exec(text);
  if (match === null) return undefined;
  const fraction = match[3] ?? '';
  const [whole = '', places] = [match[2], fraction.length];
  if (whole.length + places <= SAFE_DIGITS) {
    const units = BigInt(Number(whole + fraction)) * (POWERS[SCALE - places] ?? 1n);
    return brand(match[1] === '-' ? -units : units);
  }
  const digits = fraction.length > SCALE ? withoutEndZeros(fraction) : fraction;
  if (digits.length > SCALE) return undefined;
  const value = BigInt(`${whole}${digits.padEnd(SCALE, '0')}`);
  return brand(match[1] === '-' ? -value : value);
}

/** Like readDecimal, but throws a sentence that names the text. */
export function requireDecimal(text: string): Decimal {
  const value = readDecimal(text);
  if (value === undefined) {
    const shown = text.slice(0, MAX_DECIMAL_CHARS);
    throw new RangeError(`"${shown}" is not a decimal number with at most ${SCALE} decimals`);
  }
  return value;
}

/** 1e-8, the smallest unit that exchanges record. */
const BOOKED = 10n ** 10n;
const BOOKED_UNITS = 1e8;
const BOOKED_IN_ONE = 10n ** 8n;
const MOST_BOOKED = 2 ** 50;

/**
 * The value in whole 1e-8; NaN when it has finer decimals or is too large. The float is off by less than half a unit, so
 * the value is that whole number exactly when both agree in their last 64 bits. A bigint division would be slower.
 */
function bookedOf(value: Decimal): number {
  const units = Math.round(Number(value) / 1e10);
  if (!(units > -MOST_BOOKED && units < MOST_BOOKED)) return Number.NaN;
  return BigInt.asUintN(64, BigInt(units) * BOOKED - value) === 0n ? units : Number.NaN;
}

/** Shortest plain text: no exponent, no trailing zeros. */
export function formatDecimal(value: Decimal): string {
  const booked = bookedOf(value);
  if (booked >= 0) return formatUnits(booked);
  const negative = value < 0n;
  const digits = (negative ? -value : value).toString().padStart(SCALE + 1, '0');
  const point = digits.length - SCALE;
  let end = digits.length;
  while (end > point && digits.charCodeAt(end - 1) === 48) end--;
  const text = end === point ? digits.slice(0, point) : `${digits.slice(0, point)}.${digits.slice(point, end)}`;
  return negative ? `-${text}` : text;
}

/** Cache of four digits as text, with and without trailing zeros. */
const FOUR = 10_000;
const digits = Array.from({ length: FOUR }, () => '');
const significant = Array.from({ length: FOUR }, () => '');

function digitsOf(four: number): string {
  if (digits[four] === '') digits[four] = String(four).padStart(4, '0');
  return digits[four] ?? '';
}

function significantOf(four: number): string {
  if (four === 0) return '';
  if (significant[four] === '') significant[four] = withoutEndZeros(digitsOf(four));
  return significant[four] ?? '';
}

/** `formatDecimal` of whole 1e-8, a safe integer not below zero, by float64 arithmetic that is exact on whole numbers. */
export function formatUnits(units: number): string {
  const whole = Math.floor(units / BOOKED_UNITS);
  const rest = units - whole * BOOKED_UNITS;
  if (rest === 0) return String(whole);
  const last = rest % FOUR;
  const first = (rest - last) / FOUR;
  return last === 0 ? `${whole}.${significantOf(first)}` : `${whole}.${digitsOf(first)}${significantOf(last)}`;
}

/** Plain text with exactly `places` decimals, truncated towards zero (the wire format of most exchanges has 8). */
export function formatFixed(value: Decimal, places: number): string {
  const negative = value < 0n;
  const digits = (negative ? -value : value).toString().padStart(SCALE + 1, '0');
  const fraction = digits.slice(-SCALE).slice(0, places);
  const text = `${digits.slice(0, -SCALE)}${places === 0 ? '' : `.${fraction}`}`;
  return negative && /[1-9]/.test(text) ? `-${text}` : text;
}

/** Plain text with exactly `places` decimals, rounded half away from zero, for display. */
export function formatRounded(value: Decimal, places: number): string {
  const half = brand(10n ** BigInt(SCALE - places) / 2n);
  return formatFixed(value < 0n ? subtract(value, half) : add(value, half), places);
}

export const add = (a: Decimal, b: Decimal): Decimal => brand(a + b);
export const subtract = (a: Decimal, b: Decimal): Decimal => brand(a - b);
export const negate = (a: Decimal): Decimal => brand(-a);
export const multiply = (a: Decimal, b: Decimal): Decimal => brand((a * b) / ONE_UNIT);
export const divide = (a: Decimal, b: Decimal): Decimal => brand((a * ONE_UNIT) / b);
/** `multiply` and `divide` by whole 1e-8, a safe integer; the numbers between are shorter, so they take half as long. */
export const multiplyUnits = (a: Decimal, units: number): Decimal => brand((a * BigInt(units)) / BOOKED_IN_ONE);
export const divideUnits = (a: Decimal, units: number): Decimal => brand((a * BOOKED_IN_ONE) / BigInt(units));
export const minimum = (a: Decimal, b: Decimal): Decimal => (a < b ? a : b);
export const maximum = (a: Decimal, b: Decimal): Decimal => (a > b ? a : b);
export const absolute = (a: Decimal): Decimal => brand(a < 0n ? -a : a);

/** The largest multiple of `step` not above a non-negative `value`. A zero step returns the value. */
export const floorToStep = (value: Decimal, step: Decimal): Decimal =>
  step === 0n ? value : brand(value - (value % step));

/** The smallest multiple of `step` not below a non-negative `value`. */
export function ceilToStep(value: Decimal, step: Decimal): Decimal {
  const rest = step === 0n ? 0n : value % step;
  return rest === 0n ? value : brand(value - rest + step);
}

export const isOnStep = (value: Decimal, step: Decimal): boolean => step === 0n || value % step === 0n;

/** A whole count of steps to its exact decimal, e.g. ticks to a price. `count` must be a safe integer. */
export const fromSteps = (count: number, step: Decimal): Decimal => brand(BigInt(count) * step);

/** Number of steps as a float64 (exact up to 2^53), for comparisons of ticks and lots in strategies. */
export function toSteps(value: Decimal, step: Decimal): number {
  if (value === 0n) return 0;
  const whole = value / step;
  const rest = value - whole * step;
  return rest === 0n ? Number(whole) : Number(whole) + Number(rest) / Number(step);
}

const UNITS_IN_ONE = 1e18;
/** Splits a float into halves whose products are exact (Dekker). */
const SPLITTER = 2 ** 27 + 1;
const MOST_DIVIDED = 2 ** 100;
const headOf = (value: number): number => value * SPLITTER - (value * SPLITTER - value);
const [ONE_HEAD, ONE_TAIL] = [headOf(UNITS_IN_ONE), UNITS_IN_ONE - headOf(UNITS_IN_ONE)];

/**
 * Lossy: the float nearest to the decimal. Only for signals, charts and numbers in explanations.
 * It divides as floats and then adds what the two roundings lost, which is exact up to the last addition.
 */
export function toNumber(value: Decimal): number {
  const units = Number(value);
  if (!(units > -MOST_DIVIDED && units < MOST_DIVIDED)) return Number(`${value}e-${SCALE}`);
  const lost = Number(BigInt.asIntN(64, value - BigInt(units)));
  const quotient = units / UNITS_IN_ONE;
  const product = quotient * UNITS_IN_ONE;
  const head = headOf(quotient);
  const tail = quotient - head;
  const excess = head * ONE_HEAD - product + head * ONE_TAIL + tail * ONE_HEAD + tail * ONE_TAIL;
  return quotient + (units - product - excess + lost) / UNITS_IN_ONE;
}

/** A float such as a fee rate or a share, rounded to 12 decimals. Never use it for prices or quantities of orders. */
export function fromNumber(value: number): Decimal {
  if (value !== lastRead.value) {
    lastRead.decimal = requireDecimal(value.toFixed(12));
    lastRead.value = value;
  }
  return lastRead.decimal;
}

/** Cache of the last value: a run converts one rate for every order. */
const lastRead = { value: 0, decimal: ZERO };
