import { add, fromSteps, ZERO } from '#core/amount/decimal.ts';
import { type Book, clientsAt } from '#paper/exchange/book.ts';
import { type BookSide, changedTicks, offeredAt, type Quote, ticksOf } from '#paper/market/quote.ts';
import type { SymbolMarket } from '#paper/market/symbol-market.ts';
import { fixed8 } from '#paper/rest/order-json.ts';
import type { Order } from '#paper/exchange/order.ts';

/** The changes of a book since its subscribers last received an update. */
export interface DepthWatch {
  /** The makers' quote, and the prices at which orders of clients changed, since the last difference. */
  quote: Quote | undefined;
  readonly touched: Readonly<Record<BookSide, Set<number>>>;
  bookId: number;
}

/** Book id before and after, and every level that may differ with its current quantity. */
export interface DepthDifference {
  readonly firstId: number;
  readonly lastId: number;
  readonly bids: [string, string][];
  readonly asks: [string, string][];
}

export const openDepthWatch = (market: SymbolMarket): DepthWatch => ({
  quote: market.quote,
  touched: { bid: new Set(), ask: new Set() },
  bookId: market.bookId,
});

const sideOf = (order: Pick<Order, 'side'>): BookSide => (order.side === 'BUY' ? 'bid' : 'ask');

/** Records that an order was placed, removed or filled. */
export function noteOrder(watch: DepthWatch, market: SymbolMarket, order: Readonly<Order>): void {
  if (order.price > 0n) watch.touched[sideOf(order)].add(ticksOf(order.price, market.listing));
}

/** The changes since the last call; undefined if there are none. */
export function drainDifference(watch: DepthWatch, market: SymbolMarket, book: Book): DepthDifference | undefined {
  if (watch.bookId === market.bookId) return undefined;
  const firstId = watch.bookId + 1;
  watch.bookId = market.bookId;
  const bids = rowsOf(watch, 'bid', { market, book }).toSorted((a, b) => b.ticks - a.ticks);
  const asks = rowsOf(watch, 'ask', { market, book }).toSorted((a, b) => a.ticks - b.ticks);
  watch.quote = market.quote;
  const wire = (rows: readonly Row[]): [string, string][] => rows.map(({ row }) => row);
  return { firstId, lastId: market.bookId, bids: wire(bids), asks: wire(asks) };
}

interface Row {
  readonly ticks: number;
  readonly row: [string, string];
}

function rowsOf(
  watch: DepthWatch,
  side: BookSide,
  { market, book }: { readonly market: SymbolMarket; readonly book: Book },
): Row[] {
  const changed = watch.touched[side].union(changedTicks(watch.quote, market.quote, side));
  watch.touched[side].clear();
  const { listing, quote } = market;
  return [...changed].map((ticks) => {
    const price = fromSteps(ticks, listing.rules.price.tick);
    const makers = quote === undefined ? ZERO : offeredAt(quote, { side, ticks }, listing);
    const quantity = add(makers, clientsAt(side === 'bid' ? book.bids : book.asks, price));
    return { ticks, row: [fixed8(price), fixed8(quantity)] };
  });
}
