import { SCALE } from './averages.ts';
import { floorTo, type Fraction, fraction, fromFloat, isBelow, nearest, over, times } from './fraction.ts';

/** Trading rules of one coin; amounts in quote or base. */
export interface Market {
  readonly tick: Fraction;
  readonly step: Fraction;
  readonly minQuantity: Fraction;
  readonly minNotional: Fraction;
}

export interface Costs {
  readonly balance: Fraction;
  readonly taker: Fraction;
  readonly maker: Fraction;
  readonly slippage: Fraction;
  readonly halfSpread: Fraction;
  /** Share of the volume that may be taken; null for any. */
  readonly share: Fraction | null;
  /** Fees are taken in what an order receives; else in another asset, from the cash. */
  readonly feeInReceived: boolean;
}

/** One candle: prices in whole ticks, and as they are in whole parts of `SCALE`. */
export interface Bar {
  readonly openMs: number;
  readonly closeMs: number;
  readonly open: bigint;
  readonly high: bigint;
  readonly low: bigint;
  readonly close: bigint;
  readonly exact: { readonly high: bigint; readonly low: bigint; readonly close: bigint };
  readonly volume: Fraction;
}

interface Row {
  readonly openMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

function scaled(value: number): bigint {
  const { n, d } = times(fromFloat(value), fraction(SCALE));
  if (d !== 1n) throw new RangeError(`${value} has too many decimals`);
  return n;
}

export function barOf({ openMs, open, high, low, close, volume }: Row, lengthMs: number, tick: Fraction): Bar {
  const ticks = (value: number): bigint => {
    const exact = over(fromFloat(value), tick);
    // A half goes where floats take it, as the page says.
    return exact.d === 2n ? BigInt(Math.round(value / (Number(tick.n) / Number(tick.d)))) : nearest(exact);
  };
  return {
    ...{ openMs, closeMs: openMs + lengthMs },
    ...{ open: ticks(open), high: ticks(high), low: ticks(low), close: ticks(close) },
    exact: { high: scaled(high), low: scaled(low), close: scaled(close) },
    volume: fromFloat(volume),
  };
}

/** Adds bars up to longer ones, without those that start before the data or end after it. */
export function addUp(bars: readonly Bar[], lengthMs: number): Bar[] {
  const [first, last] = [bars.at(0), bars.at(-1)];
  if (first === undefined || last === undefined || first.closeMs - first.openMs === lengthMs) return [...bars];
  const groups = Map.groupBy(bars, ({ openMs }) => Math.floor(openMs / lengthMs) * lengthMs);
  return [...groups].flatMap(([openMs, group]) => {
    const closeMs = openMs + lengthMs;
    return openMs < first.openMs || closeMs > last.closeMs ? [] : [sumOf(group, openMs, closeMs)];
  });
}

function sumOf(group: readonly Bar[], openMs: number, closeMs: number): Bar {
  return group
    .map((bar) => ({ ...bar, openMs, closeMs }))
    .reduce((sum, { high, low, close, exact }) => ({
      ...sum,
      high: high > sum.high ? high : sum.high,
      low: low < sum.low ? low : sum.low,
      close,
      exact: {
        high: exact.high > sum.exact.high ? exact.high : sum.exact.high,
        low: exact.low < sum.exact.low ? exact.low : sum.exact.low,
        close: exact.close,
      },
    }));
}

export const priceOf = (ticks: bigint, { tick }: Market): Fraction => times(fraction(ticks), tick);

/** One minimum quantity, worth the minimum order value at this price. */
export function isSellable(quantity: Fraction, price: Fraction, { step, minQuantity, minNotional }: Market): boolean {
  const lots = floorTo(quantity, step);
  return lots.n > 0n && !isBelow(lots, minQuantity) && !isBelow(times(lots, price), minNotional);
}
