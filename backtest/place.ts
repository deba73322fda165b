import type { Decision, EntryForm } from '#core/decision/decision.ts';
import { type Decimal, fromSteps, multiply, ZERO } from '#core/amount/decimal.ts';
import { dearestPrice, judgeEntry } from '#core/judge/entry.ts';
import { judgeExit } from '#core/judge/exit.ts';
import { planKeptStop } from '#core/judge/stop.ts';
import type { OrderForm } from '#core/order/order.ts';
import type { StopSettings } from '#core/sizing/protective-stop.ts';
import { toTicks } from '#strategies/ticks.ts';
import type { Book } from './book.ts';
import type { Resting } from './resting.ts';
import type { BookSituation } from './situation.ts';

/* From a decision to an order: steps 4 and 5 of the fill model in kernel.ts. The rules are those of core/judge. */

type Buy = Extract<Decision, { kind: 'buy' }>;
type Sell = Extract<Decision, { kind: 'sell' }>;

/**
 * Turns a decision into an order, by the rules of a live entry or exit. Returns the reason to count: that of the decision,
 * or the code of the refusal.
 */
export function placeOrder(
  decision: Exclude<Decision, { kind: 'nothing' }>,
  book: Book,
  situation: BookSituation,
): string {
  if (decision.kind === 'buy') return placeEntry(decision, book, situation);
  if (decision.kind === 'sell') return placeExit(decision, book, situation);
  book.entry = null;
  return decision.reason;
}

function placeEntry(decision: Buy, book: Book, situation: BookSituation): string {
  const judged = judgeEntry(decision, situation);
  if (judged.kind === 'refused') return judged.reason;
  const { reason, form } = decision;
  const { nowMs, price, account } = situation;
  const { quantity, entry } = judged.order;
  const order = { ...nextOrder(book), quantity, reason, entry };
  const dearest = dearestPrice(judged.order.form, price);
  account?.placed({ number: order.number, quote: multiply(quantity, dearest), nowMs });
  const resting = { ...order, ...untouched(situation), side: 'buy' as const, form: judged.order.form };
  book.entry = form === undefined ? null : { ...resting, ...limitsOf(form) };
  if (form === undefined) book.pending = { ...order, side: 'buy', dearest };
  return reason;
}

function nextOrder(book: Book): Pick<Resting, 'number'> {
  book.orders += 1;
  return { number: book.orders };
}

/** The prices of a resting buy in ticks. */
const limitsOf = (form: EntryForm): Pick<Resting, 'limitTicks' | 'stopTicks'> => ({
  limitTicks: form.limit,
  stopTicks: form.type === 'maker' ? 0 : form.stop,
});

type Fresh = Pick<Resting, 'placedMs' | 'afterRise' | 'triggered' | 'touched' | 'peakTicks'>;
const untouched = ({ nowMs, priceTicks }: Pick<BookSituation, 'nowMs' | 'priceTicks'>): Fresh => ({
  placedMs: nowMs,
  afterRise: false,
  triggered: false,
  touched: false,
  peakTicks: priceTicks,
});

/** An exit replaces the stop and cancels the resting buy. */
function placeExit(decision: Sell, book: Book, situation: BookSituation): string {
  const judged = judgeExit(decision, situation);
  if (judged.kind === 'refused') return judged.reason;
  const { quantity } = judged.order;
  book.pending = { ...nextOrder(book), side: 'sell', quantity, dearest: ZERO, reason: decision.reason };
  book.entry = null;
  book.stop = null;
  book.target = null;
  return decision.reason;
}

/** The stop that the strategy wants: its highest level, 0 without one, and the reason of a sale there. */
interface ReplanStopInput {
  readonly settings: StopSettings;
  readonly ticks: number;
  readonly reason: string;
  /** The price at which the strategy sells the whole position, 0 without one, and the reason of that sale. */
  readonly targetTicks: number;
  readonly targetReason: string;
  readonly priceTicks: number;
  readonly nowMs: number;
  readonly afterRise: boolean;
}

/** The settings never change within a run. */
const CONFIG = '';

const restingOf = ({ form, quantity: left, reason, touched: sold, triggered }: Resting, { basis }: Book) => ({
  form,
  left,
  reason,
  sold,
  triggered,
  basis,
});

/** Places, moves or cancels the stop on the exchange, with the target next to it, by the plan of the live engine. */
export function replanStop(book: Book, situation: BookSituation, input: ReplanStopInput): void {
  const { position, stop } = book;
  const { settings, ticks, reason, priceTicks, nowMs, afterRise } = input;
  const { tick } = book.rules.price;
  const resting = stop === null ? null : restingOf(stop, book);
  const price = fromSteps(priceTicks, tick);
  const above = book.target === null ? null : fromSteps(book.target.limitTicks, tick);
  const target = { ticks: input.targetTicks, resting: above, blocked: null };
  const kept = { settings, config: CONFIG, ticks, reason, price, resting };
  const plan = planKeptStop(situation, settings.restsTarget === true ? { ...kept, target } : kept);
  if (plan.kind === 'remove') book.stop = null;
  if (plan.kind === 'remove' || plan.kind === 'idle') book.target = null;
  if (plan.kind === 'place') {
    const { quantity, form, reason: level } = plan;
    const order = { ...nextOrder(book), side: 'sell' as const, quantity, reason: level };
    book.stop = { ...order, ...untouched({ nowMs, priceTicks }), afterRise, ...stopSide(form, tick) };
    book.basis = { level: plan.level, average: position.averagePrice, settings: CONFIG };
    book.target = plan.target === undefined ? null : targetOf(book, plan.target, { ...input, quantity });
  }
  // A stop at its planned level does not depend on the price. Any other stop is planned again at each candle.
  const form = book.stop?.form;
  const plain = form === undefined || (form.type === 'stop-loss-limit' && form.stopPrice === book.basis?.level);
  const aims = settings.restsTarget === true && (input.targetTicks > 0 || book.target !== null);
  const reached = book.target === null || priceTicks >= book.target.limitTicks;
  book.stopNeedsReview = plan.kind === 'wait' || !plain || (aims && reached);
}

function targetOf(
  book: Book,
  price: Decimal,
  { quantity, targetReason: reason, ...at }: ReplanStopInput & { readonly quantity: Decimal },
): Resting {
  const form = { type: 'limit', price, maker: true } as const;
  const prices = { form, limitTicks: toTicks(price, book.rules.price.tick), stopTicks: 0 };
  return { ...nextOrder(book), side: 'sell', quantity, reason, ...untouched(at), ...prices };
}

function stopSide(form: OrderForm, tick: Decimal): Pick<Resting, 'form' | 'limitTicks' | 'stopTicks'> {
  if (form.type !== 'stop-loss-limit') return { form, limitTicks: 0, stopTicks: 0 };
  return { form, limitTicks: toTicks(form.price, tick), stopTicks: toTicks(form.stopPrice, tick) };
}
