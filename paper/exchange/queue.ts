import { add, type Decimal, fromSteps, maximum, minimum, subtract, ZERO } from '#core/amount/decimal.ts';
import { type Book, type Slice, slicesOf } from './book.ts';
import type { MatchingEngine } from './matching-engine.ts';
import type { SourceTrade } from '#paper/market/path.ts';
import { offeredAt, ticksOf } from '#paper/market/quote.ts';
import type { SymbolMarket } from '#paper/market/symbol-market.ts';
import { isStop, type Order } from './order.ts';
import type { OrderSide } from '#paper/market/order-types.ts';
import { bookOf, restOrder } from './orders.ts';

/**
 * The queue at one price (docs/decisions/0032). An order joins behind the volume that the market makers show there, and
 * behind earlier orders of clients. Only trades at the price shorten the queue. A trade beyond the price fills the
 * whole order, whatever was ahead.
 */
export function joinBook(engine: MatchingEngine, order: Order): void {
  joinQueue(engine, order);
  restOrder(engine.orders, order);
}

/** Puts an order at the end of the queue of its price. */
function joinQueue(engine: MatchingEngine, order: Order): void {
  const waits = isStop(order.type) && !order.working;
  order.ahead = waits ? ZERO : shownByMakers(engine.market(order.symbol), order);
}

/** The volume that the market makers show at the price and side of an order. */
export const shownByMakers = (
  { quote, listing }: SymbolMarket,
  { side, price }: { readonly side: OrderSide; readonly price: Decimal },
): Decimal =>
  quote === undefined
    ? ZERO
    : offeredAt(quote, { side: side === 'BUY' ? 'bid' : 'ask', ticks: ticksOf(price, listing) }, listing);

/** A trade took volume of the makers at one price: reduces the volume ahead of every order there. */
export function advanceQueue(
  engine: MatchingEngine,
  symbol: string,
  taken: { readonly side: OrderSide; readonly price: Decimal; readonly quantity: Decimal },
): void {
  for (const order of bookOf(engine.orders, symbol).levelAt(taken)?.orders ?? []) {
    if (order.ahead === ZERO) continue;
    order.ahead = maximum(subtract(order.ahead, taken.quantity), ZERO);
    engine.orders.changed.add(order);
  }
}

/**
 * The part of the makers' `shown` volume that is ahead of a slice. A hidden slice of an iceberg joins behind all of it.
 */
export const aheadOf = ({ order, hidden }: Slice, shown: Decimal): Decimal =>
  hidden ? shown : minimum(order.ahead, shown);

/** The quantity of each resting order that a trade of the source fills. Shortens the queues at its price. */
export function fillsOf(
  engine: MatchingEngine,
  symbol: string,
  trade: SourceTrade,
): Pick<Slice, 'order' | 'quantity'>[] {
  const market = engine.market(symbol);
  const { price: priceRule, lot } = market.listing.rules;
  const price = fromSteps(trade.ticks, priceRule.tick);
  let left = fromSteps(trade.lots, lot.step);
  let passed = ZERO;
  const fills = reachedSlices(bookOf(engine.orders, symbol), price).map((slice) => {
    const { order, quantity } = slice;
    const isBuy = order.side === 'BUY';
    const through = isBuy ? order.price > price : order.price < price;
    // The taker is on the order's own side: the makers offer at this price now, which fills the whole order.
    if (through || trade.takerBuys === isBuy) return { order, quantity };
    const ahead = slice.hidden ? shownByMakers(market, order) : order.ahead;
    const before = minimum(left, maximum(subtract(ahead, passed), ZERO));
    passed = add(passed, before);
    left = subtract(left, before);
    const filled = minimum(quantity, left);
    left = subtract(left, filled);
    return { order, quantity: filled };
  });
  if (passed > ZERO) advanceQueue(engine, symbol, { side: trade.takerBuys ? 'SELL' : 'BUY', price, quantity: passed });
  return fills.filter(({ quantity }) => quantity > ZERO);
}

/** Slices of both sides that a trade at `price` touches. */
function reachedSlices(book: Book, price: Decimal): Slice[] {
  const reached = [];
  for (const side of [book.bids, book.asks])
    for (const slice of slicesOf(side)) {
      const { order } = slice;
      if (order.side === 'BUY' ? order.price < price : order.price > price) break;
      reached.push(slice);
    }
  return reached;
}
