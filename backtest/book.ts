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
import type { SymbolRules } from '#core/market/symbol.ts';
import { fillAt, marketPrice, OTHER_ASSET, type PendingOrder, type Terms } from './fills.ts';
import type { Resting, Touch } from './resting.ts';

/** A fill with why it was wanted and what it left behind. */
export interface BookedFill {
  readonly fill: ExchangeFill;
  readonly reason: string;
  readonly cycle: number;
  /** Profit of a sell net of all fees, those of its buys too (core/position/position.ts); zero for a buy. */
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

/** The money that all coins of a run share. `cashNumber` repeats the exact value for the equity of a candle. */
export interface SharedBalance {
  cash: Decimal;
  cashNumber: number;
  /** What the coins have bound, in quote: the cost of what they hold and what waiting buys lock; now, and at most until now. */
  capitalInUse: Decimal;
  peakCapitalInUse: Decimal;
  /** The coins that spend it. */
  readonly books: Book[];
}

export const openBalance = (start: Decimal): SharedBalance => ({
  ...{ cash: start, cashNumber: toNumber(start) },
  ...{ capitalInUse: ZERO, peakCapitalInUse: ZERO, books: [] },
});

/** Position and orders of one coin. `quantityNumber` repeats the exact value for the equity of a candle. */
export interface Book {
  readonly balance: SharedBalance;
  readonly rules: SymbolRules;
  readonly terms: Terms;
  readonly cooldownMs: number;
  readonly fills: BookedFill[];
  readonly cycles: Cycle[];
  readonly rejections: Rejection[];
  /** On its way to the next open. */
  pending: PendingOrder | null;
  /** A buy that waits on the exchange. */
  entry: Resting | null;
  /** The stop that rests on the exchange, with the strategy's level and the average price it was placed for. */
  stop: Resting | null;
  basis: { readonly level: Decimal; readonly average: Decimal } | null;
  /** The level that was last looked after; `stopNeedsReview` while that must be done again at every candle. */
  plannedStopTicks: number;
  stopNeedsReview: boolean;
  position: Position;
  /** What each buy level has filled in the present cycle. */
  levels: readonly LevelFill[];
  quantityNumber: number;
  /** What the coin has bound. */
  capitalInUse: Decimal;
  /** Orders placed so far: the number of the last one. */
  orders: number;
  /** What the candle that opened at `roomMs` still has of the volume that the run may take. */
  room: Decimal;
  roomMs: number;
  /** Candles whose other path, a fall before the rise, would have ended otherwise. */
  ambiguous: number;
  /** Stops that sold inside a candle which went on beyond the limit of their order, and what that may have cost, in quote. */
  readonly overrun: { stops: number; loss: number };
  /** Candles of either kind. */
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

/** A detail candle as orders meet it: when it opens, and the volume in it. */
export interface Session {
  readonly atMs: number;
  readonly volume: number;
}

/** What a buy at the market may spend: the cash that no waiting buy of any coin has locked. */
const freeCash = ({ cash, books }: SharedBalance): Decimal =>
  maximum(
    books.reduce((free, book) => subtract(free, lockedBy(book)), cash),
    ZERO,
  );

/** What a new order of the coin may spend: the cash without what other coins have locked, or wait to spend. */
export const cashFor = (own: Book): Decimal => {
  const { cash, books } = own.balance;
  if (books.length === 1) return cash;
  const claimed = (free: Decimal, book: Book): Decimal =>
    book === own ? free : subtract(subtract(free, lockedBy(book)), reservedBy(book));
  return maximum(books.reduce(claimed, cash), ZERO);
};

const lockedBy = ({ entry, rules }: Book): Decimal =>
  entry === null ? ZERO : multiply(entry.quantity, fromSteps(entry.limitTicks, rules.price.tick));

/** Counts what the coin binds now; called after every fill and every order. A buy at the market binds once it fills. */
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

/** Brings the pending order to the market at the open of a detail candle; true when any of it filled. */
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

/** How a candle meets an order that waits, and when what it fills counts as filled. */
interface RestingFillInput extends Pick<Touch, 'ticks' | 'taker'>, Session {
  readonly filledMs: number;
}

/** Fills what a candle gives of a waiting order; true when any of it filled. */
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
  if (order.quantity <= 0n) {
    if (book.entry === order) book.entry = null;
    if (book.stop === order) book.stop = null;
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
  // The rest of an exit whose first part had closed the position adds to that round trip.
  const [former] = before.firstBuyAt === null ? book.cycles.splice(-1) : [];
  book.cycles.push({
    number: cycle,
    openedMs: former?.openedMs ?? before.firstBuyAt?.getTime() ?? fill.at.getTime(),
    closedMs: fill.at.getTime(),
    net: position.lastCycleNet ?? ZERO,
    exitReason: reason,
  });
}
