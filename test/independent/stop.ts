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

export interface StopSettings {
  readonly enabled: boolean;
  readonly offset: Fraction;
}

export const stopSettings = (settings: Settings, prefix: string, sells: boolean): StopSettings => ({
  enabled: sells && settings.flag(`${prefix}protectiveStop.enabled`, true),
  offset: settings.amount(`${prefix}protectiveStop.limitOffsetPercentage`, '0.995'),
});

const DRIFT = fraction(1n, 1000n);
const QUANTITY_DRIFT = fraction(1n, 100n);

function isNear(wanted: Fraction, is: Fraction, by: Fraction): boolean {
  const distance = isBelow(wanted, is) ? minus(is, wanted) : minus(wanted, is);
  return isBelow(distance, by);
}

interface Look {
  readonly resting: Stop | null;
  readonly level: bigint;
  readonly price: bigint;
  readonly offset: Fraction;
  readonly position: Position;
  readonly market: Market;
}

/** The stop that rests after it was planned again. */
export function lookAt({ resting, level, price, offset, position, market }: Look): Stop | null {
  if (resting?.triggered === true) return resting;
  if (level === 0n) return resting?.touched === true ? resting : null;
  const mayFall = resting === null || isBelow(position.average, resting.average);
  const trigger = mayFall ? level : larger(level, resting.trigger);
  if (trigger >= price) return resting;
  const quantity = floorTo(position.quantity, market.step);
  const limit = floor(over(times(priceOf(trigger, market), offset), market.tick));
  const value = times(quantity, priceOf(limit, market));
  const sells = !isBelow(quantity, market.minQuantity) && !isBelow(value, market.minNotional);
  if (!sells) return resting;
  if (resting !== null) {
    const near = (wanted: bigint, is: bigint): boolean =>
      isNear(fraction(wanted), fraction(is), times(fraction(wanted), DRIFT));
    const same = isNear(quantity, resting.quantity, most(market.step, times(quantity, QUANTITY_DRIFT)));
    if (same && near(trigger, resting.trigger) && near(limit, resting.limit)) return resting;
  }
  return { trigger, limit, average: position.average, quantity, triggered: false, touched: false };
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
