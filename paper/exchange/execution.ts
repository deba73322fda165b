import { add, type Decimal, minimum, multiply, subtract, ZERO } from '#core/amount/decimal.ts';
import { expireOrder, type MatchingEngine, report } from './matching-engine.ts';
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
import { checkStops } from './triggers.ts';

/** A plan and the market time of its execution. */
interface TakerInput {
  readonly plan: Plan;
  readonly atMs: number;
}

/** The result of taking liquidity. */
export interface TakerResult {
  readonly fills: readonly Fill[];
  readonly prevented: readonly PreventedMatch[];
}

type TakerOrder = Pick<
  NewOrder,
  'account' | 'symbol' | 'side' | 'type' | 'price' | 'quantity' | 'quoteQuantity' | 'prevention'
>;

/** The matches that an order would have if it took liquidity now. */
export function planFor(engine: MatchingEngine, order: TakerOrder): Plan {
  return planTaker(bookOf(engine.orders, order.symbol), engine.market(order.symbol), {
    side: order.side,
    account: order.account,
    limit: takesAnyPrice(order.type) ? null : order.price,
    amount: order.quoteQuantity > 0n ? { quoteAmount: order.quoteQuantity } : { quantity: order.quantity },
    prevention: order.prevention,
    bounds: boundsFor(engine, order),
  });
}

/** The execution price limits of an order whose taker phase starts now. */
function boundsFor(engine: MatchingEngine, order: TakerOrder): Taker['bounds'] {
  const reference = engine.reference(order.symbol);
  if (reference === null) return { up: null, down: null };
  const { up, down } = boundsOf(engine.market(order.symbol).terms, order.side);
  return { up: up && multiply(reference, up), down: down && multiply(reference, down) };
}

/** Matches a working order as planned, then applies its time in force to the remainder. */
export function executeTaker(engine: MatchingEngine, order: Order, { plan, atMs }: TakerInput): TakerResult {
  const fills: Fill[] = [];
  const prevented: PreventedMatch[] = [];
  if (order.timeInForce === 'FOK' && plan.quantity < remainingOf(order)) {
    expireOrder(engine, order, {
      reason: plan.end === 'out of range' ? OUT_OF_RANGE : 'UNFILLED_FOK_ORDER_EXPIRED',
      atMs,
    });
    return { fills, prevented };
  }
  const short = order.quoteQuantity > 0n && plan.end !== 'done';
  for (const match of plan.matches) {
    if (match.prevented && match.maker !== null)
      prevented.push(prevent(engine, order, { ...match, maker: match.maker, atMs }));
    else fills.push(applyMatch(engine, order, { ...match, short, atMs }));
  }
  const reason = endOf(order, plan);
  if (isOpen(order) && reason !== undefined) expireOrder(engine, order, { reason, atMs });
  return { fills, prevented };
}

const OUT_OF_RANGE = 'EXECUTION_RULE_PRICE_RANGE_EXCEEDED';

/** The reason why the remainder expires; undefined for an order that rests. */
function endOf(order: Order, { end }: Plan): ExpiryReason | undefined {
  if (end === 'out of range') return OUT_OF_RANGE;
  if (takesAnyPrice(order.type)) return 'INSUFFICIENT_LIQUIDITY';
  return order.timeInForce === 'IOC' ? 'UNFILLED_IOC_QUANTITY_EXPIRED' : undefined;
}

/** Publishes a client's trade and checks the waiting stops against it. */
function publishTrade(engine: MatchingEngine, trade: PublicTrade): void {
  engine.onTrade(trade);
  checkStops(engine.orders, trade);
}

function applyMatch(
  engine: MatchingEngine,
  taker: Order,
  match: Match & { readonly short: boolean; readonly atMs: number },
): Fill {
  const { price, quantity, maker, short, atMs } = match;
  const market = engine.market(taker.symbol);
  if (maker === null) {
    takeFromMakers(market, price, quantity);
    const side = taker.side === 'BUY' ? 'SELL' : 'BUY';
    advanceQueue(engine, taker.symbol, { side, price, quantity });
  }
  const trade = printClient(market, { atMs, price, quantity, takerBuys: taker.side === 'BUY' });
  publishTrade(engine, trade);
  const fill = execute(engine, taker, { trade, price, quantity, maker: false, short });
  if (maker !== null) execute(engine, maker, { trade, price, quantity, maker: true, short: false });
  return fill;
}

function execute(
  engine: MatchingEngine,
  order: Order,
  match: { readonly trade: PublicTrade } & Pick<Execution, 'price' | 'quantity' | 'maker' | 'short'>,
): Fill {
  const { trade } = match;
  const { rules } = engine.market(order.symbol).listing;
  const account = engine.account(order.account);
  claimLock(engine, order);
  const context = { account, rules, balances: engine.balances, worthInBnb: engine.worthInBnb };
  const fill = settle(order, { ...match, tradeId: trade.id, atMs: trade.atMs }, context);
  addFill(engine.orders, fill);
  noteChange(engine.orders, order);
  if (match.maker) showNextSlice(engine, order, match.quantity);
  report(engine, order, { execution: 'TRADE', atMs: trade.atMs, fill });
  return fill;
}

/** When the shown slice of an iceberg is filled, the next slice goes behind all other orders of its price. */
function showNextSlice(engine: MatchingEngine, order: Order, taken: Decimal): void {
  if (order.icebergQuantity === 0n || !isOpen(order)) return;
  order.shown = subtract(order.shown, taken);
  if (order.shown > 0n) return;
  order.shown = minimum(order.icebergQuantity, remainingOf(order));
  const book = bookOf(engine.orders, order.symbol);
  book.remove(order);
  joinBook(engine, order);
}

/** Applies self-trade prevention: ends or reduces the orders, by the mode of the taker. */
function prevent(
  engine: MatchingEngine,
  taker: Order,
  match: Match & { readonly maker: Order; readonly atMs: number },
): PreventedMatch {
  const { maker, price, atMs } = match;
  const mode = taker.prevention;
  const lostQuantity = (order: Order): Decimal => (mode === 'DECREMENT' ? match.quantity : remainingOf(order));
  engine.orders.lastPreventedId += 1;
  const prevented: PreventedMatch = {
    ...{ id: engine.orders.lastPreventedId, account: taker.account, symbol: taker.symbol },
    ...{ takerOrderId: taker.id, makerOrderId: maker.id, mode, price, atMs },
    takerQuantity: mode === 'EXPIRE_MAKER' ? ZERO : lostQuantity(taker),
    makerQuantity: mode === 'EXPIRE_TAKER' ? ZERO : lostQuantity(maker),
  };
  addPrevented(engine.orders, prevented);
  if (prevented.makerQuantity > 0n) reduceByPrevention(engine, maker, prevented);
  if (prevented.takerQuantity > 0n) reduceByPrevention(engine, taker, prevented);
  return prevented;
}

function reduceByPrevention(engine: MatchingEngine, order: Order, match: PreventedMatch): void {
  const quantity = order.id === match.takerOrderId ? match.takerQuantity : match.makerQuantity;
  order.prevented = add(order.prevented, quantity);
  order.preventedMatchId = match.id;
  order.updatedMs = match.atMs;
  if (remainingOf(order) === 0n) order.status = 'EXPIRED_IN_MATCH';
  releaseUnneeded(order, engine.market(order.symbol).listing.rules, engine.balances);
  noteChange(engine.orders, order);
  if (order.id === match.makerOrderId) showNextSlice(engine, order, quantity);
  report(engine, order, { execution: 'TRADE_PREVENTION', atMs: match.atMs, prevented: match });
}

/** Fills the resting orders that a trade of the source reaches. */
export function sweep(engine: MatchingEngine, symbol: string, source: SourceTrade): void {
  const market = engine.market(symbol);
  for (const { order, quantity } of fillsOf(engine, symbol, source)) {
    if (!isOpen(order)) continue;
    const { price } = order;
    const trade = printClient(market, { atMs: source.atMs, price, quantity, takerBuys: order.side === 'SELL' });
    publishTrade(engine, trade);
    execute(engine, order, { trade, price, quantity, maker: true, short: false });
  }
}
