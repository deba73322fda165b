import { type Fraction, fraction, isBelow } from './fraction.ts';
import type { Bar } from './market.ts';

/** Prices of candles as whole numbers of this part of the quote asset, so that averages share their denominators. */
export const SCALE = 10n ** 12n;

interface Average {
  push(value: bigint): void;
  /** Undefined as long as the average does not exist. */
  value(): Fraction | undefined;
}

/** `e = e + k * (value - e)`, k as a fraction, from the mean of the first `length` values on. */
function createWeighted(length: bigint, k: Fraction): Average {
  let count = 0n;
  let sum = 0n;
  let n = 0n;
  let d = 1n;
  return {
    push(value) {
      count += 1n;
      if (count > length) {
        n = k.n * value * (d / SCALE) + (k.d - k.n) * n;
        d *= k.d;
        return;
      }
      sum += value;
      [n, d] = [sum, SCALE * length];
    },
    value: () => (count < length ? undefined : { n, d }),
  };
}

export const createEma = (length: number): Average => createWeighted(BigInt(length), fraction(2n, BigInt(length) + 1n));

export function createSma(length: number): Average {
  const values: bigint[] = [];
  return {
    push(value) {
      values.push(value);
      if (values.length > length) values.shift();
    },
    value: () =>
      values.length < length ? undefined : { n: values.reduce((a, b) => a + b), d: SCALE * BigInt(length) },
  };
}

const wilder = (length: number): Average => createWeighted(BigInt(length), fraction(1n, BigInt(length)));
const size = (value: bigint): bigint => (value < 0n ? -value : value);

export function createAtr(length: number) {
  const average = wilder(length);
  let before: bigint | undefined;
  return {
    push({ high, low, close }: Bar['exact']): void {
      if (before !== undefined) {
        const ranges = [high - low, size(high - before), size(low - before)];
        average.push(ranges.reduce((a, b) => (a > b ? a : b)));
      }
      before = close;
    },
    value: average.value,
  };
}

/** RSI, only to decide whether it is above a limit of 0 to 100. */
export function createRsi(length: number) {
  const [rises, falls] = [wilder(length), wilder(length)];
  let before: bigint | undefined;
  return {
    push(close: bigint): void {
      if (before !== undefined) {
        rises.push(close > before ? close - before : 0n);
        falls.push(close < before ? before - close : 0n);
      }
      before = close;
    },
    isAbove(limit: Fraction): boolean {
      const [rise, fall] = [rises.value(), falls.value()];
      if (rise === undefined || fall === undefined) return false;
      if (fall.n === 0n) return isBelow(limit, fraction(rise.n === 0n ? 50n : 100n));
      // 100 - 100 / (1 + rise / fall) = 100 * rise / (rise + fall), and both have the same denominator.
      return isBelow(limit, { n: 100n * rise.n, d: rise.n + fall.n });
    },
  };
}
