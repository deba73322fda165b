import {
  add,
  ceilToStep,
  type Decimal,
  divide,
  floorToStep,
  fromNumber,
  maximum,
  minimum,
  multiply,
  ONE,
  requireDecimal,
  subtract,
  ZERO,
} from '#core/amount/decimal.ts';
import type { SymbolRules } from '#core/market/symbol.ts';

/** Margin over the minimum order value that an exit must keep at its stop limit. */
export const EXIT_MARGIN = requireDecimal('1.05');
/** Share reserved for a market entry, because the price may move before it fills. */
export const CASH_BUFFER = requireDecimal('0.002');
const BUFFERED = add(ONE, CASH_BUFFER);
/** Assumed exit price without a configured stop. */
const NO_STOP_FLOOR = requireDecimal('0.90');

/** The trading rules that a size depends on. */
export type SizingRules = Pick<SymbolRules, 'lot' | 'marketLot' | 'notional'> & {
  readonly price: Pick<SymbolRules['price'], 'tick'>;
};

export interface SizingInput {
  readonly price: Decimal;
  readonly budget: Decimal;
  readonly freeQuote: Decimal;
  readonly rules: SizingRules;
  /** Multiplier of the price at which the stop triggers, or null without a stop. */
  readonly stopMultiple: Decimal | null;
  /** Multiplier of the stop price for the limit of the protective order. */
  readonly stopLimitOffset: Decimal;
  /** Fee fraction of a buy when it is taken from the bought base asset, else zero. */
  readonly baseFeeRate: number;
  /** Current quantity. An entry that adds to it is sold together with it. */
  readonly held?: Decimal;
  /** Requested quantity instead of an amount; `budget` is then its value. */
  readonly quantity?: Decimal;
  /** Smallest allowed amount, in quote, when above the minimum of the exchange. */
  readonly leastSpend?: Decimal;
  /** The order rests at `price`. It cannot cost more, and the rules for market orders do not apply. */
  readonly waits?: boolean;
}

export type SizingReason = 'size-no-funds' | 'size-below-minimum' | 'size-exit-infeasible';
export type SizingNumbers = Readonly<Record<string, Decimal>>;
type Sizing =
  | { readonly kind: 'sized'; readonly quantity: Decimal; readonly numbers: SizingNumbers }
  | { readonly kind: 'refused'; readonly reason: SizingReason; readonly numbers: SizingNumbers };

/** Limit of the stop that would protect an entry at `price` (strategies-exact 1.5). */
export function stopLimitOf(input: Pick<SizingInput, 'price' | 'rules' | 'stopMultiple' | 'stopLimitOffset'>): Decimal {
  const { price, rules, stopMultiple, stopLimitOffset } = input;
  if (stopMultiple === null) return floorToStep(multiply(price, NO_STOP_FLOOR), rules.price.tick);
  const stop = floorToStep(multiply(price, stopMultiple), rules.price.tick);
  return stopLimitAt(stop, stopLimitOffset, rules);
}

/** Limit of a protective stop with the trigger `stop`. */
export const stopLimitAt = (stop: Decimal, offset: Decimal, rules: Pick<SizingRules, 'price'>): Decimal =>
  floorToStep(multiply(stop, offset), rules.price.tick);

/** Smallest quote amount whose quantity can be sold at its stop limit (strategies-exact 1.5). */
export function minOrderQuote(input: Omit<SizingInput, 'budget' | 'freeQuote'>): Decimal {
  const { price, rules } = input;
  const stopLimit = stopLimitOf(input);
  if (stopLimit <= 0n) return rules.notional.max;
  const needed = ceilToStep(divide(multiply(rules.notional.min, EXIT_MARGIN), stopLimit), rules.lot.step);
  const net = maximum(needed, rules.lot.min);
  const gross = ceilToStep(divide(net, subtract(ONE, fromNumber(input.baseFeeRate))), rules.lot.step);
  return multiply(multiply(gross, price), BUFFERED);
}

/**
 * The quantity of an entry for a quote budget, rounded down to the lot size, or the reason for none. An entry is refused
 * when its quantity after fees could not be sold at its stop limit.
 */
export function sizeEntry(input: SizingInput): Sizing {
  const { price, rules } = input;
  const wanted = input.budget;
  const budget = minimum(wanted, input.freeQuote);
  if (budget <= 0n || (input.freeQuote < wanted && budget < minOrderQuote(input))) {
    return { kind: 'refused', reason: 'size-no-funds', numbers: { free: input.freeQuote, wanted } };
  }
  const { waits = false } = input;
  const marketLot = waits ? { step: ZERO, min: ZERO, max: ZERO } : rules.marketLot;
  const step = maximum(rules.lot.step, marketLot.step);
  const raw = floorToStep(input.quantity ?? divide(budget, waits ? price : multiply(price, BUFFERED)), step);
  const quantity = cappedAt(marketLot.max, cappedAt(rules.lot.max, raw, step), step);
  const leastSpend = input.leastSpend ?? ZERO;
  if (budget < leastSpend) {
    return { kind: 'refused', reason: 'size-below-minimum', numbers: { budget, minOrderQuote: leastSpend } };
  }
  const least = maximum(rules.lot.min, marketLot.min);
  if (quantity <= 0n || quantity < least || multiply(quantity, price) < rules.notional.min) {
    return { kind: 'refused', reason: 'size-below-minimum', numbers: { budget, minOrderQuote: minOrderQuote(input) } };
  }
  const kept = subtract(ONE, fromNumber(input.baseFeeRate));
  const netQty = floorToStep(multiply(quantity, kept), rules.lot.step);
  const stopLimit = stopLimitOf(input);
  const value = multiply(floorToStep(add(netQty, input.held ?? ZERO), rules.lot.step), stopLimit);
  const required = multiply(rules.notional.min, EXIT_MARGIN);
  if (value < required || netQty < rules.lot.min) {
    return { kind: 'refused', reason: 'size-exit-infeasible', numbers: { netQty, stopLimit, value, required } };
  }
  return { kind: 'sized', quantity, numbers: { wanted, budget, quantity, stopLimit, netQty } };
}

/** A quantity on the lot size, limited by a cap if there is one. */
const cappedAt = (cap: Decimal, quantity: Decimal, step: Decimal): Decimal =>
  cap > 0n && quantity > cap ? floorToStep(cap, step) : quantity;

/** Sellable quantity: the smaller of position and wallet, floored to the lot size. */
export function sellableQuantity(input: {
  readonly position: Decimal;
  readonly walletFree: Decimal;
  readonly ownLocked: Decimal;
  readonly rules: SymbolRules;
}): Decimal {
  const available = minimum(input.position, add(input.walletFree, input.ownLocked));
  const floored = floorToStep(maximum(available, ZERO), input.rules.lot.step);
  return input.rules.marketLot.max > 0n ? minimum(floored, input.rules.marketLot.max) : floored;
}
