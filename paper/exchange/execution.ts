import { add, type Decimal, minimum, multiply, subtract, ZERO } from '#core/amount/decimal.ts';
import { expireOrder, type Floor, report } from './floor.ts';
import { claimLock } from './lists.ts';
import type { SourceTrade } from '#paper/market/path.ts';
import { type PublicTrade, printClient, takeFromMakers } from '#paper/market/symbol-market.ts';
import { boundsOf } from '#paper/market/terms.ts';
import {
  type ExpiryReason,
  type Fill,
  isOpen,
  type NewOrder,
  type Order,
  type PreventedMatch,
  remainingOf,
  takesAnyPrice,
} from './order.ts';
import { addFill, addPrevented, bookOf, noteChange } from './orders.ts';
import { advanceQueue, fillsOf, joinBook } from './queue.ts';
import { type Execution, releaseUnneeded, settle } from './settlement.ts';
import { type Match, type Plan, planTaker, type Taker } from './taker.ts';
import { showTrade } from './triggers.ts';

/** A plan and the market time of its execution. */
interface Dated {
  readonly plan: Plan;
  readonly atMs: number;
}

/** What taking did. */
export interface Taken {
  readonly fills: readonly Fill[];
  readonly prevented: readonly PreventedMatch[];
}

type Demand = Pick<
  NewOrder,
  'account' | 'symbol' | 'side' | 'type' | 'price' | 'quantity' | 'quoteQuantity' | 'prevention'
>;

/** What an order would match if it took now. */
export function planFor(floor: Floor, order: Demand): Plan {
  return planTaker(bookOf(floor.orders, order.symbol), floor.market(order.symbol), {
    side: order.side,
    account: order.account,
    limit: takesAnyPrice(order.type) ? null : order.price,
    appetite: order.quoteQuantity > 0n ? { quoteAmount: order.quoteQuantity } : { quantity: order.quantity },
    prevention: order.prevention,
    bounds: boundsFor(floor, order),
  });
}

/** The execution price limits of an order whose taker phase begins now. */
function boundsFor(floor: Floor, order: Demand): Taker['bounds'] {
  const reference = floor.reference(order.symbol);
  if (reference === null) return { up: null, down: null };
  const { up, down } = boundsOf(floor.market(order.symbol).terms, order.side);
  return { up: up && multiply(reference, up), down: down && multiply(reference, down) };
}

/** Matches a working order as planned and settles what its time in force says about the rest. */
export function take(floor: Floor, order: Order, { plan, atMs }: Dated): Taken {
  const fills: Fill[] = [];
  const prevented: PreventedMatch[] = [];
  if (order.timeInForce === 'FOK' && plan.quantity < remainingOf(order)) {
    expireOrder(floor, order, {
      reason: plan.end === 'out of range' ? OUT_OF_RANGE : 'UNFILLED_FOK_ORDER_EXPIRED',
      atMs,
    });
    return { fills, prevented };
  }
  const short = order.quoteQuantity > 0n && plan.end !== 'done';
  for (const match of plan.matches) {
    if (match.prevented && match.maker !== null)
      prevented.push(prevent(floor, order, { ...match, maker: match.maker, atMs }));
    else fills.push(applyMatch(floor, order, { ...match, short, atMs }));
  }
  const reason = endOf(order, plan);
  if (isOpen(order) && reason !== undefined) expireOrder(floor, order, { reason, atMs });
  return { fills, prevented };
}

const OUT_OF_RANGE = 'EXECUTION_RULE_PRICE_RANGE_EXCEEDED';

/** Why what an order did not take expires; undefined for one that rests. */
function endOf(order: Order, { end }: Plan): ExpiryReason | undefined {
  if (end === 'out of range') return OUT_OF_RANGE;
  if (takesAnyPrice(order.type)) return 'INSUFFICIENT_LIQUIDITY';
  return order.timeInForce === 'IOC' ? 'UNFILLED_IOC_QUANTITY_EXPIRED' : undefined;
}

/** Tells the public and the waiting stops of a client's trade. */
function announce(floor: Floor, trade: PublicTrade): void {
  floor.onTrade(trade);
  showTrade(floor.orders, trade);
}

function applyMatch(
  floor: Floor,
  taker: Order,
  match: Match & { readonly short: boolean; readonly atMs: number },
): Fill {
  const { price, quantity, maker, short, atMs } = match;
  const market = floor.market(taker.symbol);
  if (maker === null) {
    takeFromMakers(market, price, quantity);
    const side = taker.side === 'BUY' ? 'SELL' : 'BUY';
    advanceQueue(floor, taker.symbol, { side, price, quantity });
  }
  const trade = printClient(market, { atMs, price, quantity, takerBuys: taker.side === 'BUY' });
  announce(floor, trade);
  const fill = execute(floor, taker, { trade, price, quantity, maker: false, short });
  if (maker !== null) execute(floor, maker, { trade, price, quantity, maker: true, short: false });
  return fill;
}

function execute(
  floor: Floor,
  order: Order,
  match: { readonly trade: PublicTrade } & Pick<Execution, 'price' | 'quantity' | 'maker' | 'short'>,
): Fill {
  const { trade } = match;
  const { rules } = floor.market(order.symbol).listing;
  const account = floor.account(order.account);
  claimLock(floor, order);
  const context = { account, rules, purses: floor.purses, worthInBnb: floor.worthInBnb };
  const fill = settle(order, { ...match, tradeId: trade.id, atMs: trade.atMs }, context);
  addFill(floor.orders, fill);
  noteChange(floor.orders, order);
  if (match.maker) showNextSlice(floor, order, match.quantity);
  report(floor, order, { execution: 'TRADE', atMs: trade.atMs, fill });
  return fill;
}

/** An iceberg whose shown slice is gone shows the next one, behind all others of its price. */
function showNextSlice(floor: Floor, order: Order, taken: Decimal): void {
  if (order.icebergQuantity === 0n || !isOpen(order)) return;
  order.shown = subtract(order.shown, taken);
  if (order.shown > 0n) return;
  order.shown = minimum(order.icebergQuantity, remainingOf(order));
  const book = bookOf(floor.orders, order.symbol);
  book.remove(order);
  joinBook(floor, order);
}

/** Ends or shortens what would have traded with itself, as the taker's mode says. */
function prevent(
  floor: Floor,
  taker: Order,
  match: Match & { readonly maker: Order; readonly atMs: number },
): PreventedMatch {
  const { maker, price, atMs } = match;
  const mode = taker.prevention;
  const lost = (order: Order): Decimal => (mode === 'DECREMENT' ? match.quantity : remainingOf(order));
  floor.orders.lastPreventedId += 1;
  const prevented: PreventedMatch = {
    ...{ id: floor.orders.lastPreventedId, account: taker.account, symbol: taker.symbol },
    ...{ takerOrderId: taker.id, makerOrderId: maker.id, mode, price, atMs },
    takerQuantity: mode === 'EXPIRE_MAKER' ? ZERO : lost(taker),
    makerQuantity: mode === 'EXPIRE_TAKER' ? ZERO : lost(maker),
  };
  addPrevented(floor.orders, prevented);
  if (prevented.makerQuantity > 0n) lose(floor, maker, prevented);
  if (prevented.takerQuantity > 0n) lose(floor, taker, prevented);
  return prevented;
}

function lose(floor: Floor, order: Order, match: PreventedMatch): void {
  const quantity = order.id === match.takerOrderId ? match.takerQuantity : match.makerQuantity;
  order.prevented = add(order.prevented, quantity);
  order.preventedMatchId = match.id;
  order.updatedMs = match.atMs;
  if (remainingOf(order) === 0n) order.status = 'EXPIRED_IN_MATCH';
  releaseUnneeded(order, floor.market(order.symbol).listing.rules, floor.purses);
  noteChange(floor.orders, order);
  if (order.id === match.makerOrderId) showNextSlice(floor, order, quantity);
  report(floor, order, { execution: 'TRADE_PREVENTION', atMs: match.atMs, prevented: match });
}

/** Fills the resting orders that a trade of the source reaches. */
export function sweep(floor: Floor, symbol: string, source: SourceTrade): void {
  const market = floor.market(symbol);
  for (const { order, quantity } of fillsOf(floor, symbol, source)) {
    if (!isOpen(order)) continue;
    const { price } = order;
    const trade = printClient(market, { atMs: source.atMs, price, quantity, takerBuys: order.side === 'SELL' });
    announce(floor, trade);
    execute(floor, order, { trade, price, quantity, maker: true, short: false });
  }
}
