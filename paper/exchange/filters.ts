import { add, type Decimal, isOnStep, multiply, ZERO } from '#core/amount/decimal.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { isStop, type NewOrder, takesAnyPrice } from './order.ts';
import { truncate8 } from './commission.ts';
import { filterFailure, type Refusal, rejected, WORTHLESS } from './refusal.ts';
import { waitsForRise } from './triggers.ts';

export const AVERAGE_MINUTES = 5;
export const ICEBERG_PARTS = 100;

export interface FilterContext {
  /** The reference price, or the volume-weighted price of the last five minutes if the coin has none. */
  readonly reference: Decimal;
  /** True for a coin with the filters PERCENT_PRICE and MIN_NOTIONAL in place of their successors. */
  readonly isOlder: boolean;
  /** The largest amount of an asset that the account may move with one order. */
  readonly assetLimits: ReadonlyMap<string, Decimal>;
  /** The largest amount of the base asset, held and on order, that an account may have; null without such a filter. */
  readonly maxPosition: Decimal | null;
  /** The amount that the account holds now and has on order to buy. */
  readonly position: Decimal;
}

/**
 * The first filter of price and quantity that the order breaks, in the exchange's order. Undefined if it passes all
 * filters.
 */
export function checkFilters(order: NewOrder, rules: SymbolRules, context: FilterContext): Refusal | undefined {
  const isPriced = order.price > 0n && order.quantity > 0n;
  if (isPriced && truncate8(multiply(order.price, order.quantity)) === ZERO) return rejected(WORTHLESS);
  const broken = brokenPrice(order, rules, context) ?? brokenQuantity(order, rules, context);
  return broken === undefined ? undefined : filterFailure(broken);
}

function brokenPrice(order: NewOrder, rules: SymbolRules, { reference, isOlder }: FilterContext): string | undefined {
  const prices = [order.price, order.stopPrice].filter((price) => price > 0n);
  const range = { ...rules.price, step: rules.price.tick };
  if (!takesAnyPrice(order.type) && order.price === ZERO) return 'PRICE_FILTER';
  if (isStop(order.type) && order.stopPrice === ZERO && order.trailingDelta === 0) return 'PRICE_FILTER';
  if (prices.some((price) => !isInRange(price, range))) return 'PRICE_FILTER';
  if (prices.some((price) => !isInBand(price, bandOf(order, rules, isOlder), reference)))
    return isOlder ? 'PERCENT_PRICE' : 'PERCENT_PRICE_BY_SIDE';
  return isTrailingAllowed(order) ? undefined : 'TRAILING_DELTA';
}

function brokenQuantity(order: NewOrder, rules: SymbolRules, context: FilterContext): string | undefined {
  const { quantity, icebergQuantity } = order;
  if (order.quoteQuantity === ZERO && !isInRange(quantity, rules.lot)) return 'LOT_SIZE';
  if (icebergQuantity > 0n && !isInRange(icebergQuantity, rules.lot)) return 'LOT_SIZE';
  if (takesAnyPrice(order.type) && quantity > 0n && !isInRange(quantity, rules.marketLot)) return 'MARKET_LOT_SIZE';
  const worth = worthOf(order, context.reference);
  if (!isNotionalAllowed(order, rules, { worth, isOlder: context.isOlder }))
    return context.isOlder ? 'MIN_NOTIONAL' : 'NOTIONAL';
  if (icebergQuantity * BigInt(ICEBERG_PARTS) < (icebergQuantity > 0n ? quantity : 0n)) return 'ICEBERG_PARTS';
  const { maxPosition, position, assetLimits } = context;
  if (maxPosition !== null && order.side === 'BUY' && add(position, quantity) > maxPosition) return 'MAX_POSITION';
  const [base, quote] = [assetLimits.get(rules.baseAsset), assetLimits.get(rules.quoteAsset)];
  const isTooMuch = (base !== undefined && quantity > base) || (quote !== undefined && worth > quote);
  return isTooMuch ? 'MAX_ASSET' : undefined;
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
function bandOf(
  order: NewOrder,
  { band }: SymbolRules,
  isOlder: boolean,
): { readonly up: Decimal; readonly down: Decimal } | null {
  if (band === null) return null;
  return isOlder || order.side === 'BUY'
    ? { up: band.bidUp, down: band.bidDown }
    : { up: band.askUp, down: band.askDown };
}

const isInBand = (price: Decimal, band: ReturnType<typeof bandOf>, average: Decimal): boolean =>
  band === null || (price <= multiply(average, band.up) && price >= multiply(average, band.down));

/** The exchange has separate bounds of the delta for stops above and below the price. Here both have one value. */
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

/** The notional value of an order at its price, or at its stop or reference price if it has none. */
function worthOf({ price, stopPrice, quantity, quoteQuantity }: NewOrder, reference: Decimal): Decimal {
  const known = price > 0n ? price : stopPrice > 0n ? stopPrice : reference;
  return add(quoteQuantity, multiply(quantity, known));
}

function isNotionalAllowed(
  order: NewOrder,
  { notional: { min, max, minAppliesToMarket } }: SymbolRules,
  { worth, isOlder }: { readonly worth: Decimal; readonly isOlder: boolean },
): boolean {
  const anyPrice = order.price === ZERO;
  if (worth < min && (!anyPrice || minAppliesToMarket)) return false;
  return anyPrice || isOlder || max === 0n || worth <= max;
}
