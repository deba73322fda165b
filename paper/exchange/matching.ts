/*
 * An order's life on the paper exchange. rest/rest-trading.ts has checked parameters and filters before.
 * 1. `placeOrder` plans the matches (taker.ts) and checks market, balance and client id (admission.ts).
 * 2. `startOrders` locks the money (working.ts). Stops wait; all other orders take liquidity as planned (execution.ts).
 * 3. The remainder rests behind the queue of its price (queue.ts), or expires by its time in force.
 * 4. `playTrade` plays each trade of the source: it fills the resting orders that the trade reaches (`sweep`,
 *    execution.ts), prints the trade, then triggers stops (triggers.ts).
 * 5. Every fill moves money and books the commission (settlement.ts, commission.ts).
 * 6. `settleBook` starts triggered stops and continues order lists until nothing is left to do (working.ts, lists.ts).
 * 7. `commit` stores the changes, then publishes the events (venue.ts).
 * The fill model and its reasons: docs/decisions/0032.
 */
import { admitOrder, startRefusal, duplicateRefusal, planOf } from './admission.ts';
import { sweep } from './execution.ts';
import { closeOrder, type MatchingEngine, report } from './matching-engine.ts';
import { ordersOfList } from './lists.ts';
import type { SourceTrade } from '#paper/market/path.ts';
import { ticksOf } from '#paper/market/quote.ts';
import { printSource } from '#paper/market/symbol-market.ts';
import { type Fill, isOpen, type NewOrder, type Order, type PreventedMatch } from './order.ts';
import { bookOf, renameOrder } from './orders.ts';
import type { Refusal } from './refusal.ts';
import { nextTrigger, checkStops } from './triggers.ts';
import { startOrders, settleBook } from './working.ts';

export interface Accepted {
  readonly kind: 'accepted';
  readonly order: Order;
  readonly fills: readonly Fill[];
  readonly prevented: readonly PreventedMatch[];
}

/** Checks an order against the book and the balances, then accepts and matches it. A refusal changes nothing. */
export function placeOrder(engine: MatchingEngine, request: NewOrder, atMs: number): Accepted | Refusal {
  const plan = planOf(engine, request);
  const refusal = duplicateRefusal(engine, request) ?? startRefusal(engine, [request], [plan]);
  if (refusal !== undefined) return refusal;
  const order = admitOrder(engine, request, { plan, listId: -1, pending: false, atMs });
  const [taken = { fills: [], prevented: [] }] = startOrders(engine, [{ order, plan }], atMs);
  settleBook(engine, order.symbol, atMs);
  return { kind: 'accepted', order, ...taken };
}

/** Runs the checks of `placeOrder` without placing the order. */
export const checkOrder = (engine: MatchingEngine, request: NewOrder): Refusal | undefined =>
  duplicateRefusal(engine, request) ?? startRefusal(engine, [request], [planOf(engine, request)]);

/** A cancel: the id that becomes the order's client id, and the market time. */
export interface Cancel {
  readonly id: string;
  readonly atMs: number;
}

/** Cancels an open order and the other orders of its list. */
export function cancelOrder(engine: MatchingEngine, order: Order, cancel: Cancel): void {
  const list = order.listId < 0 ? undefined : engine.orders.lists.get(order.listId);
  const others = list === undefined ? [] : ordersOfList(engine.orders, list).filter((other) => other !== order);
  cancelOne(engine, order, cancel);
  for (const other of others.filter(isOpen)) cancelOne(engine, other, cancel);
  settleBook(engine, order.symbol, cancel.atMs);
}

function cancelOne(engine: MatchingEngine, order: Order, { id, atMs }: Cancel): void {
  const originalClientId = order.clientOrderId;
  renameOrder(engine.orders, order, id);
  closeOrder(engine, order, { status: 'CANCELED', atMs });
  report(engine, order, { execution: 'CANCELED', atMs, originalClientId });
}

/** The first trade of a candle. If it is above the last price, the taker bought; if below, the taker sold. */
function openingTrade(engine: MatchingEngine, symbol: string, trade: SourceTrade): SourceTrade {
  const { lastPrice, listing } = engine.market(symbol);
  const last = lastPrice === undefined ? trade.ticks : ticksOf(lastPrice, listing);
  return last === trade.ticks ? trade : { ...trade, takerBuys: trade.ticks > last };
}

/**
 * The maximum number of stops in one step. A client may have thousands of stops, and each takes one lot of the step's
 * volume.
 */
const MAX_STOPS_PER_STEP = 50;

/**
 * Plays one step of the path through a candle. The price moves in a line from the previous trade. A stop on that line
 * trades at its own price, with one lot of the volume (docs/decisions/0032).
 */
export function playStep(
  engine: MatchingEngine,
  symbol: string,
  { trade, from }: { readonly trade: SourceTrade; readonly from: number | undefined },
): void {
  if (from === undefined) return playTrade(engine, symbol, openingTrade(engine, symbol, trade));
  let [at, { lots }] = [from, trade];
  for (let triggered = 0; lots > 1 && triggered < MAX_STOPS_PER_STEP; triggered++) {
    const ticks = nextTrigger(bookOf(engine.orders, symbol), engine.market(symbol), { from: at, to: trade.ticks });
    if (ticks === undefined) break;
    playTrade(engine, symbol, { ...trade, ticks, lots: 1, takerBuys: trade.ticks > at, injected: true });
    lots -= 1;
    at = ticks;
  }
  playTrade(engine, symbol, { ...trade, lots });
}

/**
 * Plays a trade: it fills the resting orders that it reaches, then it prints, then stops trigger. `injected` marks a
 * trade that the source does not have. Nothing happens while the coin is not trading.
 */
export function playTrade(
  engine: MatchingEngine,
  symbol: string,
  trade: SourceTrade & { readonly injected?: true },
): void {
  if (engine.market(symbol).status !== 'TRADING') return;
  const watched = !bookOf(engine.orders, symbol).isEmpty();
  if (watched) sweep(engine, symbol, trade);
  const printed = printSource(engine.market(symbol), trade, trade.injected);
  engine.onTrade(printed);
  if (!watched) return;
  checkStops(engine.orders, printed);
  settleBook(engine, symbol, trade.atMs);
}
