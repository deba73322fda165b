import { add, type Decimal, multiply, subtract, toNumber, ZERO } from '#core/decimal.ts';
import type { ExchangeFill } from '#core/fill.ts';
import { FLAT, foldFill, type Position } from '#core/position.ts';
import { foldLevel, type LevelFill } from '#core/levels.ts';
import type { SymbolRules } from '#core/symbol.ts';
import { fillMarket, marketPrice, type PendingOrder, type Terms } from './fills.ts';

/** A fill with why it was wanted and what it left behind. */
export interface BookedFill {
  readonly fill: ExchangeFill;
  readonly reason: string;
  readonly cycle: number;
  /** Gain of a sell against the average price, in quote after the fee; zero for a buy. */
  readonly realised: Decimal;
  /** The fee in quote; one taken in the coin is valued at the price of the fill. */
  readonly feeQuote: Decimal;
  readonly cash: Decimal;
  readonly position: Decimal;
}

/** A position from flat to flat. */
export interface Cycle {
  readonly number: number;
  readonly openedMs: number;
  readonly closedMs: number;
  /** Everything received less everything paid, fees counted, in quote. */
  readonly net: Decimal;
  /** Why its last sell was made. */
  readonly exitReason: string;
}

/** An order that the exchange would not have taken. */
export interface Rejection {
  readonly atMs: number;
  readonly order: PendingOrder;
  readonly reason: 'order-insufficient-balance';
}

/** Money and position of a run. `cashNumber` and `quantityNumber` repeat the exact values for the equity of a candle. */
export interface Book {
  readonly rules: SymbolRules;
  readonly terms: Terms;
  readonly cooldownMs: number;
  readonly fills: BookedFill[];
  readonly cycles: Cycle[];
  readonly rejections: Rejection[];
  pending: PendingOrder | null;
  position: Position;
  /** What each buy level has filled in the present cycle. */
  levels: readonly LevelFill[];
  cash: Decimal;
  cashNumber: number;
  quantityNumber: number;
}

export const openBook = (rules: SymbolRules, terms: Terms, cooldownMs: number): Book => ({
  rules,
  terms,
  cooldownMs,
  fills: [],
  cycles: [],
  rejections: [],
  pending: null,
  position: FLAT,
  levels: [],
  cash: terms.balance,
  cashNumber: toNumber(terms.balance),
  quantityNumber: 0,
});

/** Brings the pending order to the market at the open of a detail candle; true when it filled. */
export function settlePending(book: Book, openTicks: number, atMs: number): boolean {
  const { pending, rules, terms, cash } = book;
  if (pending === null) return false;
  book.pending = null;
  const price = marketPrice(pending.side, openTicks, { tick: rules.price.tick, slippage: terms.slippage });
  const fill = fillMarket(pending, price, { rules, terms, cash, atMs, number: book.fills.length + 1 });
  if (fill === undefined) {
    book.rejections.push({ atMs, order: pending, reason: 'order-insufficient-balance' });
    return false;
  }
  bookFill(book, fill, pending);
  return true;
}

function bookFill(book: Book, fill: ExchangeFill, { reason, entry }: PendingOrder): void {
  const before = book.position;
  const { position, realised, closedCycle } = foldFill(before, fill, book);
  const buying = fill.side === 'buy';
  book.position = position;
  if (position.firstBuyAt === null) book.levels = [];
  if (entry !== undefined) book.levels = foldLevel(book.levels, { ...entry, quoteQuantity: fill.quoteQuantity });
  book.cash = buying
    ? subtract(book.cash, fill.quoteQuantity)
    : add(book.cash, subtract(fill.quoteQuantity, fill.feeAmount));
  book.cashNumber = toNumber(book.cash);
  book.quantityNumber = toNumber(position.quantity);
  const feeQuote = buying ? multiply(fill.feeAmount, fill.price) : fill.feeAmount;
  const { cycle, quantity } = position;
  book.fills.push({ fill, reason, cycle, realised, feeQuote, cash: book.cash, position: quantity });
  if (!closedCycle) return;
  book.cycles.push({
    number: cycle,
    openedMs: before.firstBuyAt?.getTime() ?? fill.at.getTime(),
    closedMs: fill.at.getTime(),
    net: position.lastCycleNet ?? ZERO,
    exitReason: reason,
  });
}
