import { type Decimal, requireDecimal, toNumber, ZERO } from '#core/amount/decimal.ts';
import type { SweptMarket } from '#strategies/sweep.ts';

/** A rate as a fraction of whole numbers in lowest terms. */
export interface Fraction {
  readonly n: number;
  readonly d: number;
}

/** Terms of a vector run in whole numbers below 2^53: prices in ticks, quantities in lots, amounts in 1e-8 of their asset. */
export interface VectorMoney {
  readonly cash: number;
  /** Value of one lot at one tick, in 1e-8 quote. */
  readonly worth: Fraction;
  /** One lot in 1e-8 base. */
  readonly lot: number;
  readonly fee: Fraction;
  /** Slippage plus half the spread of a market order. */
  readonly against: Fraction;
  readonly least: { readonly lots: number; readonly quote: number };
  readonly mostLots: number;
  readonly askDown: number;
  /** Lots that the run may take for each unit of a candle's volume; 0: no limit. */
  readonly lotsOfVolume: number;
}

const ONE = 10n ** 18n;
const UNIT = 10n ** 10n;

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? a : gcd(b, a % b);
}

export function fractionOf(numerator: bigint, denominator: bigint = ONE): Fraction {
  const shared = gcd(numerator, denominator) || 1n;
  return { n: Number(numerator / shared), d: Number(denominator / shared) };
}

/** Whole units of 1e-8; undefined when there is a remainder. */
export const unitsOf = (amount: Decimal): number | undefined =>
  amount % UNIT === 0n ? Number(amount / UNIT) : undefined;

/** Floor of a * n / d; exact while a * n stays below 2^53. */
export const share = (a: number, { n, d }: Fraction): number => Math.floor((a * n) / d);

/** Terms and trading rules as whole numbers; undefined when vector runs do not support them. */
export function vectorMoney({ rules, terms }: SweptMarket): VectorMoney | undefined {
  const { price, lot, marketLot, notional, band } = rules;
  const [cash, lotUnits, quote] = [unitsOf(terms.balance), unitsOf(lot.step), unitsOf(notional.min)];
  const plain = terms.feeIn !== 'other';
  const sameStep = marketLot.step === 0n || marketLot.step === lot.step;
  if (cash === undefined || lotUnits === undefined || quote === undefined || !plain || !sameStep) return undefined;
  if (lot.step === 0n || price.tick === 0n) return undefined;
  const least = [lot.min, marketLot.min].map((each) => Number((each + lot.step - 1n) / lot.step));
  const most = [lot.max, marketLot.max].filter((cap) => cap > 0n).map((cap) => Number(cap / lot.step));
  return {
    cash,
    worth: fractionOf(price.tick * lot.step, 10n ** 28n),
    lot: lotUnits,
    fee: fractionOf(terms.feeRate),
    against: fractionOf(terms.slippage + (terms.halfSpread ?? ZERO)),
    least: { lots: Math.max(...least), quote },
    mostLots: Math.min(Number.MAX_SAFE_INTEGER, ...most),
    askDown: band === null ? 0 : Number(band.askDown) / 1e18,
    lotsOfVolume: toNumber(terms.participation ?? ZERO) / toNumber(lot.step),
  };
}

/** The buffer that sizing reserves above the price. */
const BUFFER = fractionOf(requireDecimal('1.002'));

/** Lots that a budget buys at a price in ticks; undefined when the product exceeds the whole numbers. */
export function lotsFor(budget: number, ticks: number, { worth }: VectorMoney): number | undefined {
  const above = budget * BUFFER.d * worth.d;
  const below = ticks * worth.n * BUFFER.n;
  return above < Number.MAX_SAFE_INTEGER ? Math.floor(above / below) : undefined;
}
