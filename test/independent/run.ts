import {
  ceilTo,
  floorTo,
  type Fraction,
  fraction,
  isBelow,
  least,
  minus,
  most,
  NONE,
  ONE,
  plus,
  times,
} from './fraction.ts';
import { addUp, type Bar, type Costs, isSellable, type Market, priceOf } from './market.ts';
import { createMomentum } from './momentum.ts';
import { bookBuy, bookSale, type Bought, type Fill, fillOf, isHeld, openPosition, type Position } from './position.ts';
import { lengthOf, settingsOf } from './settings.ts';
import { type SizeInput, sizeOf, targetOf } from './size.ts';
import {
  lookAt,
  meetBuy,
  meetStop,
  type Met,
  type Stop,
  type StopSettings,
  stopSettings,
  type Target,
} from './stop.ts';
import { type Decision, type Moment, SELL_ALL, type Setting, type Strategy, type WaitingBuy } from './strategy.ts';
import { createTrailingTrade } from './trailing-trade.ts';
import { createTrend, type Trend } from './trend.ts';

interface Task {
  readonly strategy: string;
  readonly config: unknown;
  readonly market: Market;
  readonly costs: Costs;
  /** All detail candles; those before `start` only warm the strategy up. */
  readonly bars: readonly Bar[];
  readonly start: number;
}

const KINDS: Readonly<
  Record<string, { create(config: unknown, setting: Setting): Strategy; prefix: string; sells: string }>
> = {
  'trailing-trade': { create: createTrailingTrade, prefix: 'sell.', sells: 'sell.enabled' },
  momentum: { create: createMomentum, prefix: '', sells: 'exitEnabled' },
};

/** A market order on its way to the next open. */
interface Pending {
  readonly side: 'buy' | 'sell';
  /** Null for a sale. */
  readonly bought: Bought | null;
  readonly quantity: Fraction;
}

interface Waiting extends WaitingBuy {
  readonly bought: Bought;
  quantity: Fraction;
  triggered: boolean;
  touched: boolean;
}

/** Gives closed candles in order, each once. */
function feedOf(bars: readonly Bar[], startMs: number, warmUp: number) {
  const closed = bars.filter(({ closeMs }) => closeMs <= startMs).length;
  let next = Math.max(0, closed - warmUp);
  return (untilMs: number, push: (bar: Bar) => void): void => {
    for (; (bars[next]?.closeMs ?? Number.POSITIVE_INFINITY) <= untilMs; next++) {
      const bar = bars[next];
      if (bar !== undefined) push(bar);
    }
  };
}

/** The account and the orders of a run. */
interface Exchange {
  readonly market: Market;
  readonly costs: Costs;
  readonly position: Position;
  readonly strategy: Strategy;
  readonly guard: StopSettings;
  readonly trend: Trend;
  readonly fills: Fill[];
  pending: Pending | null;
  waiting: Waiting | null;
  stop: Stop | null;
  target: Target | null;
  /** Rest of the volume of the candle that orders may take; null for any amount. */
  room: Fraction | null;
}

const sizing = ({ strategy, market, costs, position }: Exchange, stop: Fraction): SizeInput => ({
  ...{ settings: strategy.sizes, market, taker: costs.taker, position, stop },
  baseFee: costs.feeInReceived ? costs.taker : NONE,
});

/** Looks at the protective stop and the target next to it. */
function look(exchange: Exchange, price: bigint): void {
  const { guard, pending, strategy, position, market, stop, target } = exchange;
  if (!guard.enabled || pending?.side === 'sell') return;
  const level = strategy.stopLevel();
  const aim = guard.targets ? (strategy.targetLevel?.() ?? 0n) : 0n;
  const planned = lookAt({ now: { stop, target }, level, aim, price, offset: guard.offset, position, market });
  exchange.stop = planned.stop;
  exchange.target = planned.target;
}

/** Takes from the volume of the candle. */
function take(exchange: Exchange, quantity: Fraction): Fraction {
  if (exchange.room === null) return quantity;
  const taken = least(quantity, exchange.room);
  exchange.room = minus(exchange.room, taken);
  return taken;
}

function marketPrice({ costs, market }: Exchange, side: 'buy' | 'sell', ticks: bigint): Fraction {
  const against = plus(costs.slippage, costs.halfSpread);
  const price = priceOf(ticks, market);
  if (side === 'buy') return ceilTo(times(price, plus(ONE, against)), market.tick);
  return floorTo(times(price, minus(ONE, against)), market.tick);
}

/** The cause of a fill: the level of a buy, and the price that the order met, in ticks. */
interface Cause {
  readonly bought: Bought | null;
  readonly met: bigint;
}

function book(exchange: Exchange, fill: Fill, { bought, met }: Cause): void {
  const { position, strategy, market, costs, fills } = exchange;
  fills.push(fill);
  if (bought === null) bookSale(position, fill, { market, pauseMs: strategy.pauseMs });
  else bookBuy(position, fill, { ...bought, feeInReceived: costs.feeInReceived });
  strategy.filled(fill.side);
  look(exchange, met);
}

/** Brings what the close before has ordered to the market. */
function meetOpen(exchange: Exchange, bar: Bar, order: Pending): void {
  const { position, costs } = exchange;
  const { side, bought } = order;
  const quantity = take(exchange, order.quantity);
  const left = minus(order.quantity, quantity);
  exchange.pending = left.n > 0n ? { ...order, quantity: left } : null;
  if (quantity.n <= 0n) return;
  const price = marketPrice(exchange, side, bar.open);
  if (side === 'buy' && isBelow(position.cash, times(quantity, price))) {
    exchange.pending = null;
    return;
  }
  const fill = fillOf({ side, atMs: bar.openMs, price, quantity }, costs.taker, costs);
  book(exchange, fill, { bought, met: bar.open });
}

/** Fills an order that waits on the exchange. */
function fillInside(exchange: Exchange, order: Waiting | Stop | Target, { bar, met }: { bar: Bar; met: Met }): void {
  const { market, costs } = exchange;
  const quantity = take(exchange, order.quantity);
  if (quantity.n <= 0n) return;
  const bought = 'bought' in order ? order.bought : null;
  const side = bought === null ? 'sell' : 'buy';
  const limit = priceOf(order.limit, market);
  const reached = met.taker ? marketPrice(exchange, side, met.ticks) : priceOf(met.ticks, market);
  const price = side === 'buy' ? least(reached, limit) : most(reached, limit);
  order.quantity = minus(order.quantity, quantity);
  order.touched = true;
  // The first execution of the target ends the stop.
  if (order === exchange.target) exchange.stop = null;
  if (order.quantity.n === 0n && order === exchange.target) exchange.target = null;
  if (order.quantity.n === 0n && order === exchange.stop) exchange.stop = null;
  if (order.quantity.n === 0n && bought !== null) exchange.waiting = null;
  const atMs = met.ticks === bar.open ? bar.openMs : bar.closeMs - 1;
  const fill = fillOf({ side, atMs, price, quantity }, met.taker ? costs.taker : costs.maker, costs);
  book(exchange, fill, { bought, met: met.ticks });
}

function placeBuy(exchange: Exchange, { level, form }: Extract<Decision, { kind: 'buy' }>, bar: Bar): void {
  const { pending, position, trend, strategy } = exchange;
  const { close: price, closeMs: nowMs } = bar;
  if (pending !== null || nowMs < position.pauseUntilMs || trend.refuses()) return;
  const sized = sizeOf({ level, price, limit: form?.limit ?? null }, sizing(exchange, strategy.stopShare(price)));
  if (sized === undefined) return;
  const { quantity, planned } = sized;
  const bought = { level, planned };
  if (form === null) exchange.pending = { side: 'buy', bought, quantity };
  const fresh = { level, placedMs: nowMs, bought, quantity, triggered: false, touched: false };
  exchange.waiting = form === null ? null : { ...form, ...fresh };
}

function placeSale(exchange: Exchange, lots: bigint | 'all', price: bigint): void {
  const { position, market } = exchange;
  const all = floorTo(position.quantity, market.step);
  const quantity = lots === 'all' ? all : least(all, times(fraction(lots), market.step));
  if (!isSellable(quantity, priceOf(price, market), market)) return;
  exchange.pending = { side: 'sell', bought: null, quantity };
  exchange.waiting = null;
  exchange.stop = null;
  exchange.target = null;
}

/** The stop and the target against a candle that rises before it falls. */
function meetSales(exchange: Exchange, bar: Bar, rested: Target | null): void {
  const target = exchange.target === rested ? rested : null;
  const { stop } = exchange;
  const stopOpens = stop !== null && bar.open <= stop.trigger;
  const falls = stop !== null && bar.low <= stop.trigger;
  const first = target !== null && (bar.open > target.limit || !stopOpens || !falls);
  if (target !== null && first && bar.high > target.limit)
    fillInside(exchange, target, { bar, met: { ticks: target.limit, taker: false } });
  const left = exchange.stop;
  if (left === null) return;
  const sold = meetStop(left, bar);
  if (left.triggered) exchange.target = null;
  if (sold !== undefined) fillInside(exchange, left, { bar, met: sold });
}

function momentOf(exchange: Exchange, bar: Bar): Moment {
  const { pending, waiting, strategy, trend } = exchange;
  return {
    ...{ nowMs: bar.closeMs, price: bar.close },
    ...{ buying: pending?.side === 'buy', selling: pending?.side === 'sell' },
    waiting: waiting === null ? null : { ...waiting, touched: waiting.triggered || waiting.touched },
    target: targetOf(sizing(exchange, strategy.plainStop)),
    trendFalls: trend.falls(),
  };
}

function decide(exchange: Exchange, bar: Bar): void {
  const { strategy, stop, pending, position, market } = exchange;
  const decided = strategy.decide(momentOf(exchange, bar));
  const failed = stop?.triggered === true && bar.close <= stop.trigger && pending === null && isHeld(position, market);
  const decision = failed && decided.kind !== 'sell' ? SELL_ALL : decided;
  if (decision.kind === 'cancel') exchange.waiting = null;
  if (decision.kind === 'buy') placeBuy(exchange, decision, bar);
  if (decision.kind === 'sell') placeSale(exchange, decision.lots, bar.close);
  look(exchange, bar.close);
}

/** One detail candle: open, inside, close, stop. */
function pass(exchange: Exchange, bar: Bar, give: (nowMs: number) => void): void {
  const { costs, market } = exchange;
  give(bar.openMs);
  exchange.room = costs.share === null ? null : floorTo(times(bar.volume, costs.share), market.step);
  if (exchange.pending !== null) meetOpen(exchange, bar, exchange.pending);
  const { waiting, target } = exchange;
  const bought = waiting === null ? undefined : meetBuy(waiting, bar);
  if (waiting !== null && bought !== undefined) fillInside(exchange, waiting, { bar, met: bought });
  meetSales(exchange, bar, target);
}

/** Runs a strategy over the bars as the page says; every fill, in order. */
export function run({ strategy: name, config, market, costs, bars, start }: Task): Fill[] {
  const kind = KINDS[name];
  if (kind === undefined) throw new RangeError(`${name} is not written a second time`);
  const settings = settingsOf(config);
  const position = openPosition(costs.balance);
  const strategy = kind.create(config, { market, costs, position });
  const guard = stopSettings(settings, kind.prefix, settings.flag(kind.sells, true));
  const trend = createTrend(settings);
  const startMs = bars[start]?.openMs ?? 0;
  const feed = feedOf(addUp(bars, strategy.intervalMs), startMs, strategy.warmUp);
  const feedDays = trend.isAsked ? feedOf(addUp(bars, lengthOf('1d')), startMs, trend.warmUp) : undefined;
  const exchange: Exchange = {
    ...{ market, costs, position, strategy, guard, trend, fills: [] },
    ...{ pending: null, waiting: null, stop: null, target: null, room: null },
  };
  const give = (nowMs: number): void => feed(nowMs, strategy.closed);
  for (const bar of bars.slice(start)) {
    pass(exchange, bar, give);
    feedDays?.(bar.closeMs, trend.push);
    give(bar.closeMs);
    decide(exchange, bar);
  }
  return exchange.fills;
}
