import type { CapRoom } from '#core/sizing/budget.ts';
import type { Decision, EntryForm } from '#core/decision/decision.ts';
import {
  add,
  type Decimal,
  fromNumber,
  fromSteps,
  minimum,
  multiply,
  ONE,
  subtract,
  toNumber,
  ZERO,
} from '#core/amount/decimal.ts';
import { sizeByTerms } from '#core/sizing/entry-size.ts';
import type { Gates } from '#core/decision/gates.ts';
import type { OrderForm } from '#core/order/order.ts';
import { isSellable } from '#core/position/position.ts';
import { planStop, type StopSettings } from '#core/sizing/protective-stop.ts';
import { CASH_BUFFER, sellableQuantity } from '#core/sizing/sizing.ts';
import { toTicks } from '#strategies/ticks.ts';
import type { SharedSettings } from '#strategies/strategy.ts';
import { type Book, cashFor } from './book.ts';
import { baseFeeRate } from './fills.ts';
import type { Resting } from './resting.ts';

/* From a decision to an order: steps 4 and 5 of the fill model in kernel.ts. */

interface Moment {
  readonly nowMs: number;
  readonly priceTicks: number;
  readonly shared: SharedSettings;
  readonly gates: Gates | null;
  readonly account: AccountView | null;
}

/** Limits and equity that a coin shares with the other coins of its account; null for a single coin. */
export interface AccountView {
  /** The code of the operator's limit that refuses a buy now. */
  refusal(nowMs: number): string | undefined;
  /** Room that the exposure caps leave. */
  rooms(): readonly CapRoom[];
  /** Cash plus all positions at their last prices, in quote. */
  equity(): Decimal;
  /** A buy was placed: order `number` may spend `quote`. */
  placed(buy: { readonly number: number; readonly quote: Decimal; readonly nowMs: number }): void;
}

/** A market buy reserves a little more than its current cost. */
const BUFFERED = add(ONE, CASH_BUFFER);

type Buy = Extract<Decision, { kind: 'buy' }>;
type Sell = Extract<Decision, { kind: 'sell' }>;

/**
 * Turns a decision into an order, with the checks of a live entry or exit that depend only on money and trading rules.
 * Returns the reason to count: that of the decision, or the code of the refusal.
 */
export function placeOrder(decision: Exclude<Decision, { kind: 'nothing' }>, book: Book, moment: Moment): string {
  if (decision.kind === 'buy') return placeEntry(decision, book, moment);
  if (decision.kind === 'sell') return placeExit(decision, book, moment);
  book.entry = null;
  return decision.reason;
}

function placeEntry(
  { reason, level, form, quote }: Buy,
  book: Book,
  { nowMs, priceTicks, shared, gates, account }: Moment,
): string {
  const { rules, terms, position, levels } = book;
  const limit = account?.refusal(nowMs);
  if (limit !== undefined) return limit;
  if (book.pending !== null) return 'order-in-flight';
  if (position.cooldownUntil !== null && nowMs < position.cooldownUntil.getTime()) return 'cooldown-loss';
  const refusal = gates?.refusal({ first: position.firstBuyAt === null, nowMs });
  if (refusal !== undefined) return refusal.reason;
  const { tick } = rules.price;
  const price = fromSteps(priceTicks, tick);
  const size = sizeByTerms({
    level,
    terms: shared,
    rules,
    price,
    ...(form === undefined ? {} : { limit: fromSteps(form.limit, tick) }),
    ...(quote === undefined ? {} : { quote: fromNumber(quote) }),
    position,
    levels,
    // This order replaces a resting buy, so its locked quote counts as available.
    freeQuote: cashFor(book),
    equity: shared.equityShare === undefined ? ZERO : (account?.equity() ?? worthOf(book, price)),
    takerFee: toNumber(terms.feeRate),
    baseFeeRate: baseFeeRate(terms),
    rooms: account?.rooms() ?? [],
  });
  if (size.kind === 'refused') return size.reason;
  const { quantity, plannedQuote } = size;
  const order = { ...nextOrder(book), quantity, reason, entry: { level, plannedQuote } };
  const dearest = form === undefined ? multiply(price, BUFFERED) : fromSteps(form.limit, tick);
  account?.placed({ number: order.number, quote: multiply(quantity, dearest), nowMs });
  book.entry = form === undefined ? null : { ...order, ...untouched({ nowMs, priceTicks }), ...sideOf(form, tick) };
  if (form === undefined) book.pending = { ...order, side: 'buy', dearest };
  return reason;
}

const worthOf = ({ balance, position }: Book, price: Decimal): Decimal =>
  add(balance.cash, multiply(position.quantity, price));

function nextOrder(book: Book): Pick<Resting, 'number'> {
  book.orders += 1;
  return { number: book.orders };
}

/** The prices of a resting buy. */
function sideOf(form: EntryForm, tick: Decimal): Pick<Resting, 'side' | 'form' | 'limitTicks' | 'stopTicks'> {
  const price = fromSteps(form.limit, tick);
  if (form.type === 'maker')
    return { side: 'buy', form: { type: 'limit', price }, limitTicks: form.limit, stopTicks: 0 };
  const stopPrice = fromSteps(form.stop, tick);
  const limits = { limitTicks: form.limit, stopTicks: form.stop };
  return { side: 'buy', form: { type: 'stop-loss-limit', stopPrice, price }, ...limits };
}

type Fresh = Pick<Resting, 'placedMs' | 'afterRise' | 'triggered' | 'touched' | 'peakTicks'>;
const untouched = ({ nowMs, priceTicks }: Pick<Moment, 'nowMs' | 'priceTicks'>): Fresh => ({
  placedMs: nowMs,
  afterRise: false,
  triggered: false,
  touched: false,
  peakTicks: priceTicks,
});

/** An exit replaces the stop and cancels the resting buy. */
function placeExit(decision: Sell, book: Book, moment: Moment): string {
  const { rules, position } = book;
  const held = position.quantity;
  const most = sellableQuantity({ position: held, walletFree: held, ownLocked: ZERO, rules });
  const quantity = decision.lots === 'all' ? most : minimum(most, fromSteps(decision.lots, rules.lot.step));
  if (quantity <= 0n) return 'exit-nothing-free';
  if (!isSellable(quantity, fromSteps(moment.priceTicks, rules.price.tick), rules)) return 'exit-unsellable';
  book.pending = { ...nextOrder(book), side: 'sell', quantity, dearest: ZERO, reason: decision.reason };
  book.entry = null;
  book.stop = null;
  return decision.reason;
}

interface ReplanStopInput {
  readonly settings: StopSettings;
  /** The highest stop level of the strategy; 0 without one. */
  readonly stopTicks: number;
  /** Reason of a sale at that level. */
  readonly reason: string;
  readonly priceTicks: number;
  readonly nowMs: number;
  readonly afterRise: boolean;
}

/** Places, moves or cancels the stop on the exchange, by the plan of the live engine. */
export function replanStop(
  book: Book,
  { settings, stopTicks, reason, priceTicks, nowMs, afterRise }: ReplanStopInput,
): void {
  const { rules, position, stop, basis } = book;
  const { tick } = rules.price;
  const mayFall = basis === null || position.averagePrice < basis.average;
  const resting =
    stop === null
      ? null
      : {
          form: stop.form,
          left: stop.quantity,
          level: basis?.level ?? ZERO,
          reason: stop.reason,
          sold: stop.touched,
          triggered: stop.triggered,
        };
  const plan = planStop({
    settings,
    stop: fromSteps(stopTicks, tick),
    reason,
    least: resting === null || mayFall ? ZERO : resting.level,
    price: fromSteps(priceTicks, tick),
    position: position.quantity,
    free: stop === null ? position.quantity : subtract(position.quantity, stop.quantity),
    rules,
    resting,
  });
  if (plan.kind === 'remove') book.stop = null;
  if (plan.kind === 'place') {
    const { quantity, form, reason: level } = plan;
    const order = { ...nextOrder(book), side: 'sell' as const, quantity, reason: level };
    book.stop = { ...order, ...untouched({ nowMs, priceTicks }), afterRise, ...stopSide(form, tick) };
    book.basis = { level: plan.level, average: position.averagePrice };
  }
  // A stop at its planned level does not depend on the price. Any other stop is planned again at each candle.
  const form = book.stop?.form;
  const plain = form === undefined || (form.type === 'stop-loss-limit' && form.stopPrice === book.basis?.level);
  book.stopNeedsReview = plan.kind === 'wait' || !plain;
}

function stopSide(form: OrderForm, tick: Decimal): Pick<Resting, 'form' | 'limitTicks' | 'stopTicks'> {
  if (form.type !== 'stop-loss-limit') return { form, limitTicks: 0, stopTicks: 0 };
  return { form, limitTicks: toTicks(form.price, tick), stopTicks: toTicks(form.stopPrice, tick) };
}
