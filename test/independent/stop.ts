import { floor, floorTo, type Fraction, fraction, isBelow, larger, minus, most, over, times } from './fraction.ts';
import { type Market, priceOf } from './market.ts';
import type { Position } from './position.ts';
import type { Settings } from './settings.ts';

/** The stop-limit order on the exchange; prices in ticks. */
export interface Stop {
  readonly trigger: bigint;
  readonly limit: bigint;
  /** The average entry price it was placed for. */
  readonly average: Fraction;
  quantity: Fraction;
  triggered: boolean;
  /** Some of it has filled. */
  touched: boolean;
}

/** The order at the target, next to the stop; its price in ticks. */
export interface Target {
  readonly limit: bigint;
  quantity: Fraction;
  /** Some of it has filled. */
  touched: boolean;
}

/** The orders on the exchange that sell. */
interface Resting {
  readonly stop: Stop | null;
  readonly target: Target | null;
}

export interface StopSettings {
  readonly enabled: boolean;
  /** A target rests next to the stop. */
  readonly targets: boolean;
  readonly offset: Fraction;
}

export const stopSettings = (settings: Settings, prefix: string, sells: boolean): StopSettings => ({
  enabled: sells && settings.flag(`${prefix}protectiveStop.enabled`, true),
  targets: settings.flag(`${prefix}restTarget`, false),
  offset: settings.amount(`${prefix}protectiveStop.limitOffsetPercentage`, '0.995'),
});

const DRIFT = fraction(1n, 1000n);
const QUANTITY_DRIFT = fraction(1n, 100n);

function isNear(wanted: Fraction, is: Fraction, by: Fraction): boolean {
  const distance = isBelow(wanted, is) ? minus(is, wanted) : minus(wanted, is);
  return isBelow(distance, by);
}

interface Look {
  readonly now: Resting;
  readonly level: bigint;
  /** The target of the strategy; 0 for none. */
  readonly aim: bigint;
  readonly price: bigint;
  readonly offset: Fraction;
  readonly position: Position;
  readonly market: Market;
}

const near = (wanted: bigint, is: bigint): boolean =>
  isNear(fraction(wanted), fraction(is), times(fraction(wanted), DRIFT));

/** The orders that rest after they were planned again. */
export function lookAt({ now, level, aim, price, offset, position, market }: Look): Resting {
  const { stop: resting, target } = now;
  if (resting?.triggered === true) return now;
  if (level === 0n) return resting?.touched === true ? now : { stop: null, target: null };
  const mayFall = resting === null || isBelow(position.average, resting.average);
  const trigger = mayFall ? level : larger(level, resting.trigger);
  if (trigger >= price) return now;
  const quantity = floorTo(position.quantity, market.step);
  const limit = floor(over(times(priceOf(trigger, market), offset), market.tick));
  const value = times(quantity, priceOf(limit, market));
  const sells = !isBelow(quantity, market.minQuantity) && !isBelow(value, market.minNotional);
  if (!sells || (target !== null && price >= target.limit)) return now;
  const wanted = aim > price ? aim : 0n;
  const fresh = { average: position.average, triggered: false, touched: false };
  const above = (amount: Fraction): Target | null =>
    wanted === 0n ? null : { limit: wanted, quantity: amount, touched: false };
  if (resting !== null) {
    const same = isNear(quantity, resting.quantity, most(market.step, times(quantity, QUANTITY_DRIFT)));
    if (same && near(trigger, resting.trigger) && near(limit, resting.limit)) {
      const kept = target === null ? wanted === 0n : wanted > 0n && near(wanted, target.limit);
      if (kept || resting.touched) return now;
      return { stop: { ...resting, ...fresh }, target: above(resting.quantity) };
    }
  }
  return { stop: { ...fresh, trigger, limit, quantity }, target: above(quantity) };
}

/** How a candle meets an order: at which price in ticks, and whether it met the book or had waited in it. */
export interface Met {
  readonly ticks: bigint;
  readonly taker: boolean;
}

interface Prices {
  readonly open: bigint;
  readonly high: bigint;
  readonly low: bigint;
}

/** Undefined when the stop does not sell in this candle. */
export function meetStop(stop: Stop, { open, high, low }: Prices): Met | undefined {
  if (!stop.triggered) {
    if (low > stop.trigger) return undefined;
    stop.triggered = true;
    if (open > stop.trigger) return { ticks: stop.trigger, taker: true };
    if (open >= stop.limit) return { ticks: open, taker: true };
  }
  return high > stop.limit ? { ticks: stop.limit, taker: false } : undefined;
}

/** Undefined when the buy does not fill in this candle. */
export function meetBuy(
  buy: { readonly trigger: bigint; readonly limit: bigint; triggered: boolean },
  { open, high, low }: Prices,
): Met | undefined {
  if (buy.trigger > 0n && !buy.triggered) {
    if (high < buy.trigger) return undefined;
    buy.triggered = true;
    if (open < buy.trigger) return { ticks: buy.trigger, taker: true };
    if (open <= buy.limit) return { ticks: open, taker: true };
  }
  return low < buy.limit ? { ticks: open < buy.limit ? open : buy.limit, taker: false } : undefined;
}
