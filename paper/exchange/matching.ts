import { admitOrder, beginRefusal, namesakeRefusal, planOf } from './admission.ts';
import { sweep } from './execution.ts';
import { closeOrder, type Floor, report } from './floor.ts';
import { ordersOfList } from './lists.ts';
import type { SourceTrade } from '#paper/market/path.ts';
import { ticksOf } from '#paper/market/quote.ts';
import { printSource } from '#paper/market/symbol-market.ts';
import { type Fill, isOpen, type NewOrder, type Order, type PreventedMatch } from './order.ts';
import { bookOf, renameOrder } from './orders.ts';
import type { Refusal } from './refusal.ts';
import { nextTrigger, showTrade } from './triggers.ts';
import { beginOrders, settleBook } from './working.ts';

export interface Accepted {
  readonly kind: 'accepted';
  readonly order: Order;
  readonly fills: readonly Fill[];
  readonly prevented: readonly PreventedMatch[];
}

/** Checks what depends on book and balances, then accepts and matches; a refusal leaves no trace. */
export function placeOrder(floor: Floor, request: NewOrder, atMs: number): Accepted | Refusal {
  const plan = planOf(floor, request);
  const refusal = namesakeRefusal(floor, request) ?? beginRefusal(floor, [request], [plan]);
  if (refusal !== undefined) return refusal;
  const order = admitOrder(floor, request, { plan, listId: -1, pending: false, atMs });
  const [taken = { fills: [], prevented: [] }] = beginOrders(floor, [{ order, plan }], atMs);
  settleBook(floor, order.symbol, atMs);
  return { kind: 'accepted', order, ...taken };
}

/** The checks of placeOrder without its effects. */
export const checkOrder = (floor: Floor, request: NewOrder): Refusal | undefined =>
  namesakeRefusal(floor, request) ?? beginRefusal(floor, [request], [planOf(floor, request)]);

/** A cancel: the id that becomes the order's client id, and the market time. */
export interface Cancel {
  readonly id: string;
  readonly atMs: number;
}

/** Cancels an open order, and with it the others of its list. */
export function cancelOrder(floor: Floor, order: Order, cancel: Cancel): void {
  const list = order.listId < 0 ? undefined : floor.orders.lists.get(order.listId);
  const others = list === undefined ? [] : ordersOfList(floor.orders, list).filter((one) => one !== order);
  cancelAlone(floor, order, cancel);
  for (const other of others.filter(isOpen)) cancelAlone(floor, other, cancel);
  settleBook(floor, order.symbol, cancel.atMs);
}

function cancelAlone(floor: Floor, order: Order, { id, atMs }: Cancel): void {
  const originalClientId = order.clientOrderId;
  renameOrder(floor.orders, order, id);
  closeOrder(floor, order, { status: 'CANCELED', atMs });
  report(floor, order, { execution: 'CANCELED', atMs, originalClientId });
}

/** An open beyond the last price was traded by takers on that side. */
function openedBy(floor: Floor, symbol: string, trade: SourceTrade): SourceTrade {
  const { lastPrice, listing } = floor.market(symbol);
  const last = lastPrice === undefined ? trade.ticks : ticksOf(lastPrice, listing);
  return last === trade.ticks ? trade : { ...trade, takerBuys: trade.ticks > last };
}

/** Stops that one step may meet; a client may have thousands, and each takes a lot of the step's volume. */
const MOST_MET = 50;

/**
 * Plays one step of the path through a candle. The price moves on a line from the trade before: a stop that the line
 * passes is met at its own price, with one lot of the volume (docs/decisions/0032).
 */
export function playStep(
  floor: Floor,
  symbol: string,
  { trade, from }: { readonly trade: SourceTrade; readonly from: number | undefined },
): void {
  if (from === undefined) return playTrade(floor, symbol, openedBy(floor, symbol, trade));
  let [at, { lots }] = [from, trade];
  for (let met = 0; lots > 1 && met < MOST_MET; met++) {
    const ticks = nextTrigger(bookOf(floor.orders, symbol), floor.market(symbol), { from: at, to: trade.ticks });
    if (ticks === undefined) break;
    playTrade(floor, symbol, { ...trade, ticks, lots: 1, takerBuys: trade.ticks > at, injected: true });
    lots -= 1;
    at = ticks;
  }
  playTrade(floor, symbol, { ...trade, lots });
}

/**
 * Plays a trade: resting orders it reaches fill first, then it prints, then stops fire. `injected` marks one the source
 * does not know. While the coin is not trading nothing happens.
 */
export function playTrade(floor: Floor, symbol: string, trade: SourceTrade & { readonly injected?: true }): void {
  if (floor.market(symbol).status !== 'TRADING') return;
  const watched = !bookOf(floor.orders, symbol).isEmpty();
  if (watched) sweep(floor, symbol, trade);
  const printed = printSource(floor.market(symbol), trade, trade.injected);
  floor.onTrade(printed);
  if (!watched) return;
  showTrade(floor.orders, printed);
  settleBook(floor, symbol, trade.atMs);
}
