import { add, type Decimal, fromNumber, fromSteps, multiply, ONE, ZERO } from '#core/amount/decimal.ts';
import type { Decision, EntryForm } from '#core/decision/decision.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { OrderForm } from '#core/order/order.ts';
import { sizeByTerms } from '#core/sizing/entry-size.ts';
import { CASH_BUFFER } from '#core/sizing/sizing.ts';
import { refusalOf } from './checks.ts';
import { type Judgement, type JudgedOrder, refuse, type Situation } from './situation.ts';

/** The price of a market order may move before it fills: its cost includes this buffer. */
export const BUFFERED = add(ONE, CASH_BUFFER);

/** The most that a buy can cost for each unit of base: its limit, or the price with the buffer. */
export const dearestPrice = (form: OrderForm, price: Decimal): Decimal =>
  'price' in form ? form.price : multiply(price, BUFFERED);

/** Converts the strategy's order form from price ticks to exchange prices. */
function formOf(form: EntryForm | undefined, { price: { tick } }: SymbolRules): OrderForm {
  if (form === undefined) return { type: 'market' };
  const price = fromSteps(form.limit, tick);
  if (form.type === 'maker') return { type: 'limit', price, maker: true };
  return { type: 'stop-loss-limit', stopPrice: fromSteps(form.stop, tick), price };
}

type Entry = JudgedOrder & Required<Pick<JudgedOrder, 'entry'>>;

/** Approves or refuses a buy of the strategy, and sizes it. */
export function judgeEntry(decision: Extract<Decision, { kind: 'buy' }>, situation: Situation): Judgement<Entry> {
  const refusal = refusalOf('entry', situation);
  if (refusal !== undefined) return refusal;
  const { rules, price, terms, waiting, position, levels, takerFee, baseFeeRate, limits } = situation;
  const { level, quote } = decision;
  const form = formOf(decision.form, rules);
  const size = sizeByTerms({
    level,
    quote: quote === undefined ? undefined : fromNumber(quote),
    terms,
    rules,
    price,
    limit: 'price' in form ? form.price : undefined,
    position,
    levels,
    freeQuote: add(situation.freeQuote(), waiting?.locked ?? ZERO),
    equity: terms.equityShare === undefined ? ZERO : situation.equity(),
    takerFee,
    baseFeeRate,
    rooms: limits.rooms(),
  });
  if (size.kind === 'refused') return refuse(size.reason, size.numbers);
  const entry = { level, plannedQuote: size.plannedQuote };
  const order: Entry = { side: 'buy', purpose: 'entry', form, quantity: size.quantity, entry };
  return { kind: 'approved', order, facts: size.numbers };
}
