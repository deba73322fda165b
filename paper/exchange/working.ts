import { subtract, ZERO } from '#core/amount/decimal.ts';
import { beginRefusal, lockAtStart, planOf } from './admission.ts';
import { planFor, take, type Taken } from './execution.ts';
import { expireOrder, type Floor, report } from './floor.ts';
import { expireSibling, followList } from './lists.ts';
import { isOpen, isStop, type Order, takesAnyPrice } from './order.ts';
import { bookOf, noteChange } from './orders.ts';
import { joinBook } from './queue.ts';
import { paidAsset } from './settlement.ts';
import { EMPTY_PLAN, type Plan } from './taker.ts';

/** An order that begins, with what it will match at once. */
interface Beginner {
  readonly order: Order;
  readonly plan: Plan;
}

/**
 * Lets orders begin: their money is locked (once, where two are a pair), stops wait, all others match and rest. Returns
 * what the orders took, one by one.
 */
export function beginOrders(floor: Floor, beginners: readonly Beginner[], atMs: number): Taken[] {
  lockOnce(floor, beginners);
  return beginners.map(({ order, plan }) => begin(floor, order, { plan, atMs }));
}

function lockOnce(floor: Floor, beginners: readonly Beginner[]): void {
  let holder: Order | undefined;
  let most = ZERO;
  for (const { order, plan } of beginners) {
    const needed = lockAtStart(order, plan, floor.market(order.symbol).lastPrice ?? ZERO);
    if (holder === undefined || needed > most) [holder, most] = [order, needed];
  }
  if (holder === undefined) return;
  holder.locked = most;
  floor.purses.lock(holder.account, paidAsset(holder.side, floor.market(holder.symbol).listing.rules), most);
}

function begin(floor: Floor, order: Order, { plan, atMs }: { readonly plan: Plan; readonly atMs: number }): Taken {
  order.status = 'NEW';
  order.updatedMs = atMs;
  order.working = !isStop(order.type);
  if (order.working) order.workingMs = atMs;
  else if (order.trailingDelta > 0 && order.stopPrice === ZERO) {
    order.trailingMs = atMs;
    order.extreme = floor.market(order.symbol).lastPrice ?? ZERO;
  }
  noteChange(floor.orders, order);
  report(floor, order, { execution: 'NEW', atMs });
  const taken = order.working ? take(floor, order, { plan, atMs }) : { fills: [], prevented: [] };
  if (isOpen(order)) joinBook(floor, order);
  return taken;
}

/**
 * Draws all consequences of what has just happened in a coin: lists go on, stops that have fired work. Each may move the
 * price and cause others.
 */
export function settleBook(floor: Floor, symbol: string, atMs: number): void {
  const { fired } = bookOf(floor.orders, symbol);
  const { touchedLists } = floor.orders;
  for (;;) {
    const [list] = touchedLists;
    if (list !== undefined) {
      touchedLists.delete(list);
      const waiting = followList(floor, list, atMs);
      if (waiting.length > 0) beginWaiting(floor, waiting, atMs);
      continue;
    }
    const [stop] = fired;
    if (stop === undefined) return;
    fired.delete(stop);
    if (isOpen(stop) && !stop.working) fire(floor, stop, atMs);
  }
}

/** Places the second phase of a list; what cannot be placed now expires as rejected. */
function beginWaiting(floor: Floor, waiting: readonly Order[], atMs: number): void {
  const plans = waiting.map((order) => planOf(floor, order));
  const broken = waiting.some((order) => floor.filter(order) !== undefined);
  if (broken || beginRefusal(floor, waiting, plans) !== undefined) {
    for (const order of waiting) expireOrder(floor, order, { reason: 'REJECTED', atMs });
    return;
  }
  beginOrders(
    floor,
    waiting.map((order, at) => ({ order, plan: plans[at] ?? EMPTY_PLAN })),
    atMs,
  );
}

function fire(floor: Floor, stop: Order, atMs: number): void {
  bookOf(floor.orders, stop.symbol).remove(stop);
  expireSibling(floor, stop, atMs);
  const plan = planFor(floor, stop);
  if (!fits(floor, stop, plan)) {
    expireOrder(floor, stop, { reason: 'REJECTED', atMs });
    return;
  }
  stop.working = true;
  stop.workingMs = atMs;
  stop.updatedMs = atMs;
  noteChange(floor.orders, stop);
  report(floor, stop, { execution: 'NEW', atMs });
  take(floor, stop, { plan, atMs });
  if (isOpen(stop)) joinBook(floor, stop);
}

/** Whether a fired stop may work: it passes the filters again, and one whose price was not known is paid for. */
function fits(floor: Floor, stop: Order, plan: Plan): boolean {
  if (floor.filter(stop) !== undefined) return false;
  if (!takesAnyPrice(stop.type) || stop.side === 'SELL') return true;
  const needed = plan.quote;
  const asset = paidAsset(stop.side, floor.market(stop.symbol).listing.rules);
  const missing = subtract(needed, stop.locked);
  if (missing > floor.purses.balance(stop.account, asset).free) return false;
  if (missing > 0n) floor.purses.lock(stop.account, asset, missing);
  else floor.purses.unlock(stop.account, asset, subtract(stop.locked, needed));
  stop.locked = needed;
  return true;
}
