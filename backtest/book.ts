import {
  add,
  type Decimal,
  floorToStep,
  fromNumber,
  fromSteps,
  maximum,
  minimum,
  multiply,
  subtract,
  toNumber,
  ZERO,
} from '#core/amount/decimal.ts';
import { type ExchangeFill, feeValueOf } from '#core/order/fill.ts';
import { FLAT, foldFill, type Position } from '#core/position/position.ts';
import { foldLevel, type LevelFill } from '#core/position/levels.ts';
import type { StopBasis } from '#core/judge/stop.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { fillAt, marketPrice, OTHER_ASSET, type PendingOrder, type Terms } from './fills.ts';
import type { Resting, Touch } from './resting.ts';

/* Balance, positions and fills of a run: see the fill model in kernel.ts. */

/** A fill, the reason of its order, and the cash and position after it. */
export interface BookedFill {
  readonly fill: ExchangeFill;
  readonly reason: string;
  readonly cycle: number;
  /** Realised P&L of a sell after all fees, including those of its buys (core/position/position.ts); zero for a buy. */
  readonly realised: Decimal;
  /** The fee in quote. A fee taken in the coin is valued at the fill price. */
  readonly feeQuote: Decimal;
  readonly cash: Decimal;
  readonly position: Decimal;
}

/** A position from flat to flat. */
export interface Cycle {
  readonly number: number;
  readonly openedMs: number;
  readonly closedMs: number;
  /** Amount received less amount paid, fees included, in quote. */
  readonly net: Decimal;
  /** Why its last sell was made. */
  readonly exitReason: string;
}

/** An order that the exchange would have rejected. */
export interface Rejection {
  readonly atMs: number;
  readonly order: PendingOrder;
  readonly reason: 'order-insufficient-balance';
}

/** The balance that all coins of a run share. `cashNumber` is the float copy of `cash` for the equity of a candle. */
export interface SharedBalance {
  cash: Decimal;
  cashNumber: number;
  /** Cost of all positions plus the quote locked by resting buys: now, and at its highest so far. In quote. */
  capitalInUse: Decimal;
  peakCapitalInUse: Decimal;
  /** The coins that spend this balance. */
  readonly books: Book[];
}

export const openBalance = (start: Decimal): SharedBalance => ({
  ...{ cash: start, cashNumber: toNumber(start) },
  ...{ capitalInUse: ZERO, peakCapitalInUse: ZERO, books: [] },
});

/** Position and orders of one coin. `quantityNumber` is the float copy of the position for the equity of a candle. */
export interface Book {
  readonly balance: SharedBalance;
  readonly rules: SymbolRules;
  readonly terms: Terms;
  readonly cooldownMs: number;
  readonly fills: BookedFill[];
  readonly cycles: Cycle[];
  readonly rejections: Rejection[];
  /** A market order that fills at the next open. */
  pending: PendingOrder | null;
  /** A buy that rests on the exchange. */
  entry: Resting | null;
  /** The stop that rests on the exchange, with the level and the average price for which it was placed. */
  stop: Resting | null;
  basis: StopBasis | null;
  /** The target that rests next to the stop, as one order list: the first execution of one leg ends the other. */
  target: Resting | null;
  plannedTargetTicks: number;
  /** The stop level that was planned last. `stopNeedsReview`: plan the stop again at every candle. */
  plannedStopTicks: number;
  stopNeedsReview: boolean;
  position: Position;
  /** The fills of each buy level in the current cycle. */
  levels: readonly LevelFill[];
  quantityNumber: number;
  /** Cost of the position plus the quote locked by its resting buy. */
  capitalInUse: Decimal;
  /** Number of the last order. */
  orders: number;
  /** Volume that the run may still take of the candle that opened at `roomMs`. */
  room: Decimal;
  roomMs: number;
  /** Candles that would have ended differently with the fall before the rise. */
  ambiguous: number;
  /** Stops that sold inside a candle whose price then fell below their limit, and the loss that this may hide, in quote. */
  readonly overrun: { stops: number; loss: number };
  /** Candles that are ambiguous or overrun a stop. */
  doubtful: number;
}

export function openBook(
  rules: SymbolRules,
  terms: Terms,
  { balance, cooldownMs }: Pick<Book, 'balance' | 'cooldownMs'>,
) {
  const book: Book = {
    balance,
    rules,
    terms,
    cooldownMs,
    fills: [],
    cycles: [],
    rejections: [],
    pending: null,
    entry: null,
    stop: null,
    basis: null,
    target: null,
    plannedTargetTicks: 0,
    plannedStopTicks: 0,
    stopNeedsReview: false,
    position: FLAT,
    levels: [],
    quantityNumber: 0,
    capitalInUse: ZERO,
    orders: 0,
    room: ZERO,
    roomMs: -1,
    ambiguous: 0,
    overrun: { stops: 0, loss: 0 },
    doubtful: 0,
  };
  balance.books.push(book);
  return book;
}

/** Open time and volume of a detail candle. */
export interface Session {
  readonly atMs: number;
  readonly volume: number;
}

/** Quote that a market buy may spend: the cash that no resting buy of any coin locks. */
const freeCash = ({ cash, books }: SharedBalance): Decimal =>
  maximum(
    books.reduce((free, book) => subtract(free, lockedBy(book)), cash),
    ZERO,
  );

/** Quote that a new order of the coin may spend: the cash less the locked and pending buys of other coins. */
export const cashFor = (own: Book): Decimal => {
  const { cash, books } = own.balance;
  if (books.length === 1) return cash;
  const claimed = (free: Decimal, book: Book): Decimal =>
    book === own ? free : subtract(subtract(free, lockedBy(book)), reservedBy(book));
  return maximum(books.reduce(claimed, cash), ZERO);
};

const lockedBy = ({ entry, rules }: Book): Decimal =>
  entry === null ? ZERO : multiply(entry.quantity, fromSteps(entry.limitTicks, rules.price.tick));

/** Call after every fill and every order. A market buy counts once it fills. */
export function updateCapitalInUse(book: Book): void {
  const { balance, position } = book;
  const inUse = add(position.cost, lockedBy(book));
  if (inUse === book.capitalInUse) return;
  balance.capitalInUse = add(balance.capitalInUse, subtract(inUse, book.capitalInUse));
  balance.peakCapitalInUse = maximum(balance.peakCapitalInUse, balance.capitalInUse);
  book.capitalInUse = inUse;
}

const reservedBy = ({ pending }: Book): Decimal =>
  pending === null || pending.side === 'sell' ? ZERO : multiply(pending.quantity, pending.dearest);

/** Fills the pending market order at the open of a detail candle; true when any of it filled. */
export function settlePending(book: Book, openTicks: number, session: Session & { filledMs?: number }): boolean {
  const { pending, rules, terms } = book;
  if (pending === null) return false;
  const quantity = takeRoom(book, pending.quantity, session);
  const left = subtract(pending.quantity, quantity);
  book.pending = left > 0n ? { ...pending, quantity: left } : null;
  if (quantity <= 0n) return false;
  const price = marketPrice(pending.side, openTicks, { ...terms, tick: rules.price.tick });
  if (pending.side === 'buy' && multiply(quantity, price) > freeCash(book.balance)) {
    book.pending = null;
    book.rejections.push({ atMs: session.atMs, order: pending, reason: 'order-insufficient-balance' });
    return false;
  }
  const { atMs, filledMs = atMs } = session;
  const execution = { price, session: { ...session, atMs: filledMs }, maker: false };
  bookFill(book, fillOf(book, { ...pending, quantity }, execution), pending);
  return true;
}

/** Price and time of a fill of a resting order. */
interface RestingFillInput extends Pick<Touch, 'ticks' | 'taker'>, Session {
  readonly filledMs: number;
}

/** Fills a resting order as far as the volume allows; true when any of it filled. */
export function settleResting(book: Book, order: Resting, input: RestingFillInput): boolean {
  const { rules, terms } = book;
  const { ticks, taker, filledMs } = input;
  if (ticks <= 0) return false;
  const quantity = takeRoom(book, order.quantity, input);
  if (quantity <= 0n) return false;
  const { tick } = rules.price;
  const limit = fromSteps(order.limitTicks, tick);
  const reached = marketPrice(order.side, ticks, taker ? { ...terms, tick } : { slippage: ZERO, tick });
  const worst = order.side === 'buy' ? minimum : maximum;
  const price = order.limitTicks > 0 ? worst(reached, limit) : reached;
  order.quantity = subtract(order.quantity, quantity);
  order.touched = true;
  endOtherLeg(book, order);
  if (order.quantity <= 0n) {
    if (book.entry === order) book.entry = null;
    if (book.stop === order) book.stop = null;
    if (book.target === order) book.target = null;
  }
  bookFill(
    book,
    fillOf(
      book,
      { side: order.side, quantity, number: order.number },
      { price, session: { ...input, atMs: filledMs }, maker: !taker },
    ),
    order,
  );
  return true;
}

/** A trigger of the stop, and the first execution of either leg, ends the other leg of an order list. */
export function endOtherLeg(book: Book, order: Resting): void {
  if (book.target === order) book.stop = null;
  else if (book.stop === order) book.target = null;
}

/** The part of a quantity that the volume of this candle still allows. */
function takeRoom(book: Book, quantity: Decimal, { atMs, volume }: Session): Decimal {
  const { participation } = book.terms;
  if (participation === undefined) return quantity;
  if (book.roomMs !== atMs) {
    book.roomMs = atMs;
    book.room = floorToStep(multiply(fromNumber(volume), participation), book.rules.lot.step);
  }
  const taken = minimum(quantity, book.room);
  book.room = subtract(book.room, taken);
  return taken;
}

interface Execution {
  readonly price: Decimal;
  readonly session: Session;
  readonly maker: boolean;
}

const fillOf = (
  { rules, terms, fills }: Book,
  order: Pick<PendingOrder, 'side' | 'quantity' | 'number'>,
  { price, session, maker }: Execution,
): ExchangeFill => {
  const context = { rules, terms, atMs: session.atMs, number: fills.length + 1, order: order.number, maker };
  return fillAt(order, price, context);
};

function bookFill(book: Book, fill: ExchangeFill, { reason, entry }: Pick<PendingOrder, 'reason' | 'entry'>): void {
  const before = book.position;
  const inQuote = fill.feeAsset === OTHER_ASSET;
  const { rules, cooldownMs } = book;
  const context = { rules, cooldownMs, feeQuote: inQuote ? fill.feeAmount : ZERO };
  const { position, realised, closedCycle } = foldFill(before, fill, context);
  const buying = fill.side === 'buy';
  const { balance } = book;
  book.position = position;
  book.stopNeedsReview = true;
  if (position.firstBuyAt === null) book.levels = [];
  if (entry !== undefined) book.levels = foldLevel(book.levels, { ...entry, quoteQuantity: fill.quoteQuantity });
  const cash = buying ? subtract(balance.cash, fill.quoteQuantity) : add(balance.cash, fill.quoteQuantity);
  balance.cash = buying && !inQuote ? cash : subtract(cash, fill.feeAmount);
  balance.cashNumber = toNumber(balance.cash);
  book.quantityNumber = toNumber(position.quantity);
  const feeQuote = feeValueOf(fill, rules, fill.feeAmount) ?? ZERO;
  const { cycle, quantity } = position;
  book.fills.push({ fill, reason, cycle, realised, feeQuote, cash: balance.cash, position: quantity });
  if (!closedCycle) return;
  // The first part of an exit may close the position. Its rest then belongs to the same cycle.
  const [former] = before.firstBuyAt === null ? book.cycles.splice(-1) : [];
  book.cycles.push({
    number: cycle,
    openedMs: former?.openedMs ?? before.firstBuyAt?.getTime() ?? fill.at.getTime(),
    closedMs: fill.at.getTime(),
    net: position.lastCycleNet ?? ZERO,
    exitReason: reason,
  });
}
