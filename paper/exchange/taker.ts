import { add, type Decimal, divide, floorToStep, minimum, multiply, subtract, ZERO } from '#core/amount/decimal.ts';
import { type Book, slicesOf } from './book.ts';
import { truncate8 } from './commission.ts';
import { ladderOf, type Level } from '#paper/market/quote.ts';
import type { SymbolMarket } from '#paper/market/symbol-market.ts';
import type { Order } from './order.ts';
import type { OrderSide, PreventionMode } from '#paper/market/order-types.ts';
import { aheadOf } from './queue.ts';

/** One planned match. `maker` is null if the counterparty is the market makers. */
export interface Match {
  readonly price: Decimal;
  readonly quantity: Decimal;
  readonly maker: Order | null;
  /** True if the match would be a self-trade, which the taker's mode forbids. */
  readonly prevented: boolean;
  /** True if prevention costs the taker no quantity. */
  readonly sparesTaker: boolean;
}

export interface Plan {
  readonly matches: readonly Match[];
  /** The traded quantity, without prevented matches. */
  readonly quantity: Decimal;
  /** The traded quantity in quote. */
  readonly quote: Decimal;
  /**
   * Why the plan ends: the order is filled, nothing more is offered at its price, or the next offer is outside the
   * price range.
   */
  readonly end: 'done' | 'exhausted' | 'out of range';
}

/** How much to take: a quantity, or as much as a quote amount pays for (or brings in). */
type TakerAmount = { readonly quantity: Decimal } | { readonly quoteAmount: Decimal };

const MAX_LEVELS = 5000;
export const EMPTY_PLAN: Plan = { matches: [], quantity: ZERO, quote: ZERO, end: 'done' };

export interface Taker {
  readonly side: OrderSide;
  readonly account: string;
  /** Null takes any price. */
  readonly limit: Decimal | null;
  readonly amount: TakerAmount;
  readonly prevention: PreventionMode;
  /** The prices at which the order may execute. */
  readonly bounds: { readonly up: Decimal | null; readonly down: Decimal | null };
}

/** Plans the matches of a taker, best price first. At one price the queue decides (queue.ts). Changes nothing. */
export function planTaker(book: Book, market: SymbolMarket, taker: Taker): Plan {
  const { step } = market.listing.rules.lot;
  const { up, down } = taker.bounds;
  const matches: Match[] = [];
  const expired = new Set<Order>();
  let quantity = ZERO;
  let quote = ZERO;
  let left = taker.amount;
  let levels = 0;
  for (const { price, quantity: offered, maker } of offersFor(taker.side, book, market)) {
    const beyond = taker.limit !== null && (taker.side === 'BUY' ? price > taker.limit : price < taker.limit);
    levels += 1;
    if (beyond || levels > MAX_LEVELS) return { matches, quantity, quote, end: 'exhausted' };
    const wanted = 'quantity' in left ? left.quantity : floorToStep(divide(left.quoteAmount, price), step);
    if (wanted <= 0n) return { matches, quantity, quote, end: 'done' };
    if (price > (up ?? price) || price < (down ?? price)) return { matches, quantity, quote, end: 'out of range' };
    if (maker !== null && expired.has(maker)) continue;
    const taken = minimum(wanted, offered);
    const prevented = taker.prevention !== 'NONE' && maker !== null && maker.account === taker.account;
    const sparesTaker = prevented && taker.prevention === 'EXPIRE_MAKER';
    matches.push({ price, quantity: taken, maker, prevented, sparesTaker });
    if (prevented && (taker.prevention === 'EXPIRE_TAKER' || taker.prevention === 'EXPIRE_BOTH'))
      return { matches, quantity, quote, end: 'done' };
    if (sparesTaker && maker !== null) {
      expired.add(maker);
      continue;
    }
    const worth = truncate8(multiply(taken, price));
    left =
      'quantity' in left
        ? { quantity: subtract(left.quantity, taken) }
        : { quoteAmount: subtract(left.quoteAmount, worth) };
    if (!prevented) [quantity, quote] = [add(quantity, taken), add(quote, worth)];
  }
  const satisfied = 'quantity' in left && left.quantity <= 0n;
  return { matches, quantity, quote, end: satisfied ? 'done' : 'exhausted' };
}

type Offer = Pick<Match, 'price' | 'quantity' | 'maker'>;

const isCheaper = (side: OrderSide, price: Decimal, other: Decimal): boolean =>
  side === 'BUY' ? price < other : price > other;

/** The offers of the other side: orders of clients merged with the makers' ladder. At one price the queue decides. */
function* offersFor(side: OrderSide, book: Book, market: SymbolMarket): Generator<Offer> {
  const quote = market.quote;
  const clients = slicesOf(side === 'BUY' ? book.asks : book.bids);
  const ladder = quote === undefined ? undefined : ladderOf(quote, side === 'BUY' ? 'ask' : 'bid', market.listing);
  let level = ladder?.next();
  let client = clients.next();
  /** The quantity of the current level that has been offered. */
  let passed = ZERO;
  for (;;) {
    const makers: Level | undefined = level === undefined || level.done ? undefined : level.value;
    const price = client.done ? undefined : client.value.order.price;
    const comesFirst = price !== undefined && (makers === undefined || !isCheaper(side, makers.price, price));
    if (client.done || !comesFirst) {
      if (makers === undefined) return;
      if (passed < makers.quantity)
        yield { price: makers.price, quantity: subtract(makers.quantity, passed), maker: null };
      passed = ZERO;
      level = ladder?.next();
      continue;
    }
    const { order, quantity } = client.value;
    const ahead = makers?.price === order.price ? aheadOf(client.value, makers.quantity) : ZERO;
    if (ahead > passed) {
      yield { price: order.price, quantity: subtract(ahead, passed), maker: null };
      passed = ahead;
    }
    yield { price: order.price, quantity, maker: order };
    client = clients.next();
  }
}

/** Both sides of the book as clients see it: orders and ladder summed for each price, at most `limit` levels a side. */
export function depthOf(book: Book, market: SymbolMarket, limit: number): { bids: Level[]; asks: Level[] } {
  return {
    bids: sumLevels(offersFor('SELL', book, market), limit),
    asks: sumLevels(offersFor('BUY', book, market), limit),
  };
}

/** Hidden parts of icebergs are not part of the depth: each order counts once, with the quantity it shows. */
function sumLevels(offers: Iterable<Offer>, limit: number): Level[] {
  const levels: { price: Decimal; quantity: Decimal }[] = [];
  const counted = new Set<Order>();
  for (const { price, quantity, maker } of offers) {
    if (maker !== null && counted.has(maker)) continue;
    if (maker !== null) counted.add(maker);
    const last = levels.at(-1);
    if (last !== undefined && last.price === price) last.quantity = add(last.quantity, quantity);
    else if (levels.length === limit) break;
    else levels.push({ price, quantity });
  }
  return levels;
}
