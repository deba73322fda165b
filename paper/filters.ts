import { add, type Decimal, isOnStep, multiply, ZERO } from '#core/decimal.ts';
import type { SymbolRules } from '#core/symbol.ts';
import { isStop, type NewOrder, takesAnyPrice } from './order.ts';
import { filterFailure, type Refusal } from './refusal.ts';
import { waitsForRise } from './triggers.ts';

export const AVERAGE_MINUTES = 5;
export const ICEBERG_PARTS = 100;
/** How often the quantity of one order may be changed. */
export const MAX_NUM_ORDER_AMENDS = 10;

export interface FilterContext {
  /** Volume-weighted price of the last five minutes; the last price where nothing traded. */
  readonly averagePrice: Decimal;
  /** The most of the base asset an account may hold and have on order; null without such a filter. */
  readonly maxPosition: Decimal | null;
  /** What it holds and has on order to buy now. */
  readonly position: Decimal;
}

/** The first filter of price and quantity the order breaks, in the exchange's order; undefined when it passes all. */
export function checkFilters(order: NewOrder, rules: SymbolRules, context: FilterContext): Refusal | undefined {
  const broken = brokenPrice(order, rules, context) ?? brokenQuantity(order, rules, context);
  return broken === undefined ? undefined : filterFailure(broken);
}

function brokenPrice(order: NewOrder, rules: SymbolRules, { averagePrice }: FilterContext): string | undefined {
  const prices = [order.price, order.stopPrice].filter((price) => price > 0n);
  const range = { ...rules.price, step: rules.price.tick };
  if (!takesAnyPrice(order.type) && order.price === ZERO && order.peg === null) return 'PRICE_FILTER';
  if (isStop(order.type) && order.stopPrice === ZERO && order.trailingDelta === 0) return 'PRICE_FILTER';
  if (prices.some((price) => !isInRange(price, range))) return 'PRICE_FILTER';
  if (prices.some((price) => !isInBand(price, bandOf(order, rules), averagePrice))) return 'PERCENT_PRICE_BY_SIDE';
  return isTrailingAllowed(order) ? undefined : 'TRAILING_DELTA';
}

function brokenQuantity(order: NewOrder, rules: SymbolRules, context: FilterContext): string | undefined {
  const { quantity, icebergQuantity } = order;
  if (order.quoteQuantity === ZERO && !isInRange(quantity, rules.lot)) return 'LOT_SIZE';
  if (icebergQuantity > 0n && !isInRange(icebergQuantity, rules.lot)) return 'LOT_SIZE';
  if (takesAnyPrice(order.type) && quantity > 0n && !isInRange(quantity, rules.marketLot)) return 'MARKET_LOT_SIZE';
  if (!isNotionalAllowed(order, rules, context.averagePrice)) return 'NOTIONAL';
  if (icebergQuantity * BigInt(ICEBERG_PARTS) < (icebergQuantity > 0n ? quantity : 0n)) return 'ICEBERG_PARTS';
  const { maxPosition, position } = context;
  const isTooMuch = maxPosition !== null && order.side === 'BUY' && add(position, quantity) > maxPosition;
  return isTooMuch ? 'MAX_POSITION' : undefined;
}

function isInRange(
  value: Decimal,
  range: { readonly min: Decimal; readonly max: Decimal; readonly step: Decimal },
): boolean {
  const aboveMinimum = range.min === 0n || value >= range.min;
  const belowMaximum = range.max === 0n || value <= range.max;
  return aboveMinimum && belowMaximum && isOnStep(value, range.step);
}

/** The multipliers that bound the prices of the order's side; null without such a filter. */
function bandOf(order: NewOrder, { band }: SymbolRules): { readonly up: Decimal; readonly down: Decimal } | null {
  if (band === null) return null;
  return order.side === 'BUY' ? { up: band.bidUp, down: band.bidDown } : { up: band.askUp, down: band.askDown };
}

const isInBand = (price: Decimal, band: ReturnType<typeof bandOf>, average: Decimal): boolean =>
  band === null || (price <= multiply(average, band.up) && price >= multiply(average, band.down));

/** Bounds of the delta above (stops that wait for a rise) and below are two settings with one value here. */
function isTrailingAllowed(order: NewOrder): boolean {
  const { trailingDelta } = order;
  if (trailingDelta === 0) return true;
  const bounds = TRAILING_DELTA[waitsForRise(order) ? 'above' : 'below'];
  return trailingDelta >= bounds.min && trailingDelta <= bounds.max;
}

export const TRAILING_DELTA = {
  above: { min: 10, max: 2000 },
  below: { min: 10, max: 2000 },
} as const;

function isNotionalAllowed(order: NewOrder, rules: SymbolRules, average: Decimal): boolean {
  const anyPrice = takesAnyPrice(order.type) || order.price === ZERO;
  const marketPrice = order.stopPrice > 0n ? order.stopPrice : average;
  const worth = add(order.quoteQuantity, multiply(order.quantity, anyPrice ? marketPrice : order.price));
  const { min, max, minAppliesToMarket } = rules.notional;
  if (worth < min && (!anyPrice || minAppliesToMarket)) return false;
  return anyPrice || max === 0n || worth <= max;
}
