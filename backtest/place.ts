import type { Decision } from '#core/decision.ts';
import { fromSteps, minimum, toNumber, ZERO } from '#core/decimal.ts';
import { remainingOf } from '#core/levels.ts';
import { isSellable } from '#core/position.ts';
import { sellableQuantity, sizeMarketEntry } from '#core/sizing.ts';
import type { SharedSettings } from '#strategies/strategy.ts';
import type { Book } from './book.ts';

export interface Moment {
  readonly nowMs: number;
  readonly priceTicks: number;
  readonly shared: SharedSettings;
}

/**
 * Turns a buy or sell decision into the pending order of the book, by the checks of a live entry or exit that depend on
 * money and rules alone. Returns the reason to count: the decision's own, or the code of the refusal.
 */
export function placeOrder(decision: Extract<Decision, { kind: 'buy' | 'sell' }>, book: Book, moment: Moment): string {
  return decision.kind === 'buy' ? placeEntry(decision, book, moment) : placeExit(decision, book, moment);
}

type Buy = Extract<Decision, { kind: 'buy' }>;

function placeEntry({ reason, level }: Buy, book: Book, { nowMs, priceTicks, shared }: Moment): string {
  const { rules, terms, position, cash } = book;
  if (position.cooldownUntil !== null && nowMs < position.cooldownUntil.getTime()) return 'cooldown-loss';
  const budget = shared.levels?.[level];
  const { plannedQuote, remaining } = remainingOf(book.levels, level, budget?.spend ?? shared.entryBudget);
  const sizing = sizeMarketEntry({
    price: fromSteps(priceTicks, rules.price.tick),
    budget: remaining,
    held: position.quantity,
    leastSpend: budget?.least ?? ZERO,
    freeQuote: cash,
    rules,
    stopMultiple: shared.stopMultiple,
    stopLimitOffset: shared.stopLimitOffset,
    baseFeeRate: toNumber(terms.feeRate),
  });
  if (sizing.kind === 'refused') return sizing.reason;
  book.pending = { side: 'buy', quantity: sizing.quantity, reason, entry: { level, plannedQuote } };
  return reason;
}

function placeExit(decision: Extract<Decision, { kind: 'sell' }>, book: Book, moment: Moment): string {
  const { rules, position } = book;
  const held = position.quantity;
  const most = sellableQuantity({ position: held, walletFree: held, ownLocked: ZERO, rules });
  const quantity = decision.lots === 'all' ? most : minimum(most, fromSteps(decision.lots, rules.lot.step));
  if (quantity <= 0n) return 'exit-nothing-free';
  if (!isSellable(quantity, fromSteps(moment.priceTicks, rules.price.tick), rules)) return 'exit-unsellable';
  book.pending = { side: 'sell', quantity, reason: decision.reason };
  return decision.reason;
}
