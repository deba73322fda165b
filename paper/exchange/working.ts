import { subtract, ZERO } from '#core/amount/decimal.ts';
import { startRefusal, lockAtStart, planOf } from './admission.ts';
import { executeTaker, planFor, type TakerResult } from './execution.ts';
import { expireOrder, type MatchingEngine, report } from './matching-engine.ts';
import { expireSibling, updateList } from './lists.ts';
import { isOpen, isStop, type Order, takesAnyPrice } from './order.ts';
import { bookOf, noteChange } from './orders.ts';
import { joinBook } from './queue.ts';
import { paidAsset } from './settlement.ts';
import { EMPTY_PLAN, type Plan } from './taker.ts';

/** An order that starts, with its immediate matches. */
interface PlannedOrder {
  readonly order: Order;
  readonly plan: Plan;
}

/**
 * Starts orders: locks their money (once for an OCO pair), lets stops wait, matches all others and rests the
 * remainders. Returns the result of each order.
 */
export function startOrders(engine: MatchingEngine, planned: readonly PlannedOrder[], atMs: number): TakerResult[] {
  lockOnce(engine, planned);
  return planned.map(({ order, plan }) => start(engine, order, { plan, atMs }));
}

function lockOnce(engine: MatchingEngine, planned: readonly PlannedOrder[]): void {
  let holder: Order | undefined;
  let most = ZERO;
  for (const { order, plan } of planned) {
    const needed = lockAtStart(order, plan, engine.market(order.symbol).lastPrice ?? ZERO);
    if (holder === undefined || needed > most) [holder, most] = [order, needed];
  }
  if (holder === undefined) return;
  holder.locked = most;
  engine.balances.lock(holder.account, paidAsset(holder.side, engine.market(holder.symbol).listing.rules), most);
}

function start(
  engine: MatchingEngine,
  order: Order,
  { plan, atMs }: { readonly plan: Plan; readonly atMs: number },
): TakerResult {
  order.status = 'NEW';
  order.updatedMs = atMs;
  order.working = !isStop(order.type);
  if (order.working) order.workingMs = atMs;
  else if (order.trailingDelta > 0 && order.stopPrice === ZERO) {
    order.trailingMs = atMs;
    order.extreme = engine.market(order.symbol).lastPrice ?? ZERO;
  }
  noteChange(engine.orders, order);
  report(engine, order, { execution: 'NEW', atMs });
  const taken = order.working ? executeTaker(engine, order, { plan, atMs }) : { fills: [], prevented: [] };
  if (isOpen(order)) joinBook(engine, order);
  return taken;
}

/**
 * Applies all consequences of a change in a coin: continues order lists and starts triggered stops. Each may move the
 * price and cause others.
 */
export function settleBook(engine: MatchingEngine, symbol: string, atMs: number): void {
  const { fired } = bookOf(engine.orders, symbol);
  const { touchedLists } = engine.orders;
  for (;;) {
    const [list] = touchedLists;
    if (list !== undefined) {
      touchedLists.delete(list);
      const waiting = updateList(engine, list, atMs);
      if (waiting.length > 0) startWaiting(engine, waiting, atMs);
      continue;
    }
    const [stop] = fired;
    if (stop === undefined) return;
    fired.delete(stop);
    if (isOpen(stop) && !stop.working) trigger(engine, stop, atMs);
  }
}

/** Places the second phase of a list. Orders that cannot be placed now expire as rejected. */
function startWaiting(engine: MatchingEngine, waiting: readonly Order[], atMs: number): void {
  const plans = waiting.map((order) => planOf(engine, order));
  const broken = waiting.some((order) => engine.filter(order) !== undefined);
  if (broken || startRefusal(engine, waiting, plans) !== undefined) {
    for (const order of waiting) expireOrder(engine, order, { reason: 'REJECTED', atMs });
    return;
  }
  startOrders(
    engine,
    waiting.map((order, at) => ({ order, plan: plans[at] ?? EMPTY_PLAN })),
    atMs,
  );
}

function trigger(engine: MatchingEngine, stop: Order, atMs: number): void {
  bookOf(engine.orders, stop.symbol).remove(stop);
  expireSibling(engine, stop, atMs);
  const plan = planFor(engine, stop);
  if (!canWork(engine, stop, plan)) {
    expireOrder(engine, stop, { reason: 'REJECTED', atMs });
    return;
  }
  stop.working = true;
  stop.workingMs = atMs;
  stop.updatedMs = atMs;
  noteChange(engine.orders, stop);
  report(engine, stop, { execution: 'NEW', atMs });
  executeTaker(engine, stop, { plan, atMs });
  if (isOpen(stop)) joinBook(engine, stop);
}

/**
 * True if a triggered stop may work: it passes the filters again, and the account can pay for it at the now known
 * price.
 */
function canWork(engine: MatchingEngine, stop: Order, plan: Plan): boolean {
  if (engine.filter(stop) !== undefined) return false;
  if (!takesAnyPrice(stop.type) || stop.side === 'SELL') return true;
  const needed = plan.quote;
  const asset = paidAsset(stop.side, engine.market(stop.symbol).listing.rules);
  const missing = subtract(needed, stop.locked);
  if (missing > engine.balances.balance(stop.account, asset).free) return false;
  if (missing > 0n) engine.balances.lock(stop.account, asset, missing);
  else engine.balances.unlock(stop.account, asset, subtract(stop.locked, needed));
  stop.locked = needed;
  return true;
}
