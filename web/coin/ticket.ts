import {
  add,
  type Decimal,
  divide,
  floorToStep,
  formatDecimal,
  formatFixed,
  fromNumber,
  multiply,
  ONE,
  readDecimal,
  requireDecimal,
  subtract,
  ZERO,
} from '#core/amount/decimal.ts';
import { moneyPlaces } from '#core/amount/money-places.ts';
import { isSellable } from '#core/position/position.ts';
import { minOrderQuote, type SizingRules, sizeEntry, stopLimitOf } from '#core/sizing/sizing.ts';
import type { Coin, OrderTerms } from '#web/data/answers.ts';
import { money, quantity as quantityText } from '#web/ui/numbers.ts';

export type Side = 'buy' | 'sell';

/** The values of the form. `amount`: quote to spend, or base to sell; an empty `limit` is a market order. */
export interface TicketEntry {
  readonly side: Side;
  readonly amount: string;
  readonly limit: string;
}

/** Expected numbers of an order. The worker checks the order again, with the prices and limits of that moment. */
export interface Estimate {
  /** In base; null while the amount gives no order. */
  readonly quantity: Decimal | null;
  /** Price x quantity, in quote. */
  readonly value: Decimal | null;
  /** In quote. */
  readonly fee: Decimal | null;
  /** Smallest buy that can be sold again at its stop, in quote; null for a sale, and without rules or price. */
  readonly smallest: Decimal | null;
  /** Average price of the position after a buy. */
  readonly average: Decimal | null;
  /** P&L of this buy if its stop sells it, or of the sale, both after fees. */
  readonly result: Decimal | null;
  /** Why the worker would reject the order, as a sentence. */
  readonly problem: string | null;
}

interface TicketInput {
  readonly coin: Coin;
  readonly terms: OrderTerms;
  readonly entry: TicketEntry;
}

type Known = TicketInput & {
  readonly rules: SizingRules;
  readonly price: Decimal;
  readonly amount: Decimal | null;
  readonly fee: number;
};

const NOTHING = { quantity: null, value: null, fee: null, smallest: null, average: null, result: null, problem: null };

type Range = SizingRules['lot'];
const rangeOf = ({ step, min, max }: { readonly [Key in keyof Range]: string }): Range => ({
  step: requireDecimal(step),
  min: requireDecimal(min),
  max: requireDecimal(max),
});

const rulesOf = ({ price, lot, marketLot, notional }: NonNullable<OrderTerms['rules']>): SizingRules => ({
  price: { tick: requireDecimal(price.tick) },
  ...{ lot: rangeOf(lot), marketLot: rangeOf(marketLot) },
  notional: { ...notional, min: requireDecimal(notional.min), max: requireDecimal(notional.max) },
});

/** A number that a person typed; commas group thousands. */
const typed = (text: string): Decimal | undefined => readDecimal(text.trim().replaceAll(',', ''));

/** The number as the API takes it. */
export const plain = (text: string): string => text.trim().replaceAll(',', '');

/** Base that can be sold: whole steps of the position. */
export const sellable = ({ position, stepSize }: Coin): Decimal => {
  const held = requireDecimal(position.quantity);
  return stepSize === null ? held : floorToStep(held, requireDecimal(stepSize));
};

/** A share of the available quote asset, or of the position, as the field shows it. */
export function shareText({ coin, terms }: Omit<TicketInput, 'entry'>, side: Side, share: Decimal): string {
  if (side === 'sell') {
    const most = sellable(coin);
    const part = coin.stepSize === null ? most : floorToStep(multiply(most, share), requireDecimal(coin.stepSize));
    return formatDecimal(part);
  }
  return formatFixed(multiply(requireDecimal(terms.available ?? '0'), share), moneyPlaces(coin.quoteAsset));
}

/** The numbers of an order as it is entered. */
export function estimateOf(input: TicketInput): Estimate {
  const { coin, terms, entry } = input;
  const limit = entry.limit.trim() === '' ? null : typed(entry.limit);
  if (limit === undefined || (limit !== null && limit <= 0n))
    return { ...NOTHING, problem: 'Limit price: not a price.' };
  const price = limit ?? (coin.price === null ? undefined : readDecimal(coin.price));
  if (terms.rules === null || price === undefined) return NOTHING;
  const rules = rulesOf(terms.rules);
  if (limit !== null && floorToStep(limit, rules.price.tick) !== limit)
    return { ...NOTHING, problem: `Limit price: must be a multiple of ${terms.rules.price.tick} ${coin.quoteAsset}.` };
  const amount = entry.amount.trim() === '' ? null : typed(entry.amount);
  const known = { ...input, rules, price, amount: amount ?? null, fee: terms.takerFee ?? 0 };
  const numbers = entry.side === 'buy' ? buyOf(known) : saleOf(known);
  const isWrong = amount === undefined || (amount !== null && amount <= 0n);
  return isWrong ? { ...NOTHING, smallest: numbers.smallest, problem: 'The amount must be above 0.' } : numbers;
}

function buyOf({ coin, terms, entry, rules, price, amount, fee }: Known): Estimate {
  const { stop } = terms;
  const held = requireDecimal(coin.position.quantity);
  const order = {
    ...{ price, rules, held, baseFeeRate: fee, waits: entry.limit.trim() !== '' },
    stopMultiple: stop === null ? null : requireDecimal(stop.multiple),
    stopLimitOffset: stop === null ? ONE : requireDecimal(stop.limitOffset),
  };
  const smallest = minOrderQuote(order);
  if (amount === null || amount <= 0n) return { ...NOTHING, smallest };
  const available = terms.available === null ? amount : requireDecimal(terms.available);
  const unit = coin.quoteAsset ?? '';
  if (available < amount)
    return { ...NOTHING, smallest, problem: `Only ${money(formatDecimal(available), unit)} ${unit} is available.` };
  const sizing = sizeEntry({ ...order, budget: amount, freeQuote: available });
  if (sizing.kind === 'refused')
    return { ...NOTHING, smallest, problem: `The smallest order is ${smallestText(smallest, unit)} ${unit}.` };
  const { quantity } = sizing;
  const value = multiply(quantity, price);
  const kept = subtract(ONE, fromNumber(fee));
  const net = floorToStep(multiply(quantity, kept), rules.lot.step);
  const cost = add(multiply(held, requireDecimal(coin.position.averagePrice)), value);
  return {
    ...{ quantity, value, smallest },
    fee: multiply(value, fromNumber(fee)),
    average: divide(cost, add(held, quantity)),
    result: stop === null ? null : subtract(multiply(multiply(net, stopLimitOf(order)), kept), value),
    problem: null,
  };
}

function saleOf({ coin, rules, price, amount, fee }: Known): Estimate {
  const most = sellable(coin);
  if (amount === null || amount <= 0n) return NOTHING;
  const quantity = floorToStep(amount, rules.lot.step);
  const base = coin.baseAsset ?? coin.symbol;
  const refuse = (problem: string): Estimate => ({ ...NOTHING, problem });
  if (amount > most) return refuse(`Only ${quantityText(formatDecimal(most), coin.stepSize)} ${base} can be sold.`);
  if (!isSellable(quantity, price, rules)) {
    const unit = coin.quoteAsset ?? '';
    return refuse(`The smallest sale is ${smallestText(rules.notional.min, unit)} ${unit}.`);
  }
  const left = subtract(most, quantity);
  if (left > 0n && !isSellable(left, price, rules))
    return refuse(`The rest, ${quantityText(formatDecimal(left), coin.stepSize)} ${base}, would be too small to sell.`);
  const value = multiply(quantity, price);
  const paid = multiply(value, fromNumber(fee));
  const held = requireDecimal(coin.position.quantity);
  const cost = divide(multiply(requireDecimal(coin.position.cost), quantity), held > 0n ? held : ONE);
  return { ...NOTHING, quantity, value, fee: paid, result: subtract(subtract(value, paid), cost) };
}

/** Rounded up: an order of exactly this amount must be large enough. */
export function smallestText(amount: Decimal, asset: string): string {
  const places = moneyPlaces(asset);
  const down = requireDecimal(formatFixed(amount, places));
  const step = requireDecimal(places === 0 ? '1' : `0.${'0'.repeat(places - 1)}1`);
  return money(formatDecimal(down === amount || amount === ZERO ? down : add(down, step)), asset);
}
