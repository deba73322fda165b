/** An exact number: numerator over a positive denominator. */
export interface Fraction {
  readonly n: bigint;
  readonly d: bigint;
}

function commonDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

/** In lowest terms. */
export function fraction(n: bigint, d = 1n): Fraction {
  if (d === 0n) throw new RangeError('a denominator is zero');
  const sign = d < 0n ? -1n : 1n;
  const divisor = commonDivisor(n, d * sign) * sign;
  return { n: n / divisor, d: d / divisor };
}

export const NONE = fraction(0n);
export const ONE = fraction(1n);

/** Decimal text, also with an exponent: "0.97", "1e-7". */
export function parse(text: string): Fraction {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(text);
  if (match === null) throw new RangeError(`"${text}" is no decimal number`);
  const [, sign, whole = '', places = '', power = '0'] = match;
  const exponent = BigInt(power) - BigInt(places.length);
  const value = BigInt(whole + places) * (sign === '-' ? -1n : 1n);
  return exponent < 0n ? fraction(value, 10n ** -exponent) : fraction(value * 10n ** exponent);
}

/** The shortest decimal that stands for a float. */
export const fromFloat = (value: number): Fraction => parse(String(value));

export const plus = (a: Fraction, b: Fraction): Fraction => fraction(a.n * b.d + b.n * a.d, a.d * b.d);
export const minus = (a: Fraction, b: Fraction): Fraction => fraction(a.n * b.d - b.n * a.d, a.d * b.d);
export const times = (a: Fraction, b: Fraction): Fraction => fraction(a.n * b.n, a.d * b.d);
export const over = (a: Fraction, b: Fraction): Fraction => fraction(a.n * b.d, a.d * b.n);

/** Also of fractions that are not in lowest terms. */
export const isBelow = (a: Fraction, b: Fraction): boolean => a.n * b.d < b.n * a.d;
export const isAtMost = (a: Fraction, b: Fraction): boolean => a.n * b.d <= b.n * a.d;
export const least = (a: Fraction, b: Fraction): Fraction => (isBelow(b, a) ? b : a);
export const most = (a: Fraction, b: Fraction): Fraction => (isBelow(a, b) ? b : a);
export const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
export const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

export const floor = ({ n, d }: Fraction): bigint => (n >= 0n ? n / d : -((-n + d - 1n) / d));
const ceil = ({ n, d }: Fraction): bigint => -floor({ n: -n, d });
/** The nearest whole number, a half upwards. */
export const nearest = ({ n, d }: Fraction): bigint => floor({ n: 2n * n + d, d: 2n * d });

const MILLION = 1_000_000n;
/** A threshold in ticks, as the page rounds it: with a tolerance of a millionth. */
export const down = ({ n, d }: Fraction): bigint => floor({ n: n * MILLION + d, d: d * MILLION });
export const up = ({ n, d }: Fraction): bigint => ceil({ n: n * MILLION - d, d: d * MILLION });

/** Not brought to lowest terms, which takes long for averages of thousands of digits. */
export const longTimes = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.n, d: a.d * b.d });
export const longOver = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.d, d: a.d * b.n });
export const longMinus = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.d - b.n * a.d, d: a.d * b.d });

export const floorTo = (x: Fraction, step: Fraction): Fraction => times(fraction(floor(over(x, step))), step);
export const ceilTo = (x: Fraction, step: Fraction): Fraction => times(fraction(ceil(over(x, step))), step);
/** Cut after so many decimals. */
export const cut = (x: Fraction, places: number): Fraction => floorTo(x, fraction(1n, 10n ** BigInt(places)));

const PLACES = 18n;

/** Plain decimal text, cut at 18 decimals, for amounts that are not negative. */
export function textOf(x: Fraction): string {
  const digits = floor(times(x, fraction(10n ** PLACES)))
    .toString()
    .padStart(Number(PLACES) + 1, '0');
  const whole = digits.slice(0, -Number(PLACES));
  const places = digits.slice(-Number(PLACES)).replace(/0+$/, '');
  return places === '' ? whole : `${whole}.${places}`;
}
