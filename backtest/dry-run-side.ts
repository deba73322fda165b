import {
  add,
  type Decimal,
  formatDecimal,
  fromSteps,
  multiply,
  requireDecimal,
  subtract,
  ZERO,
} from '#core/amount/decimal.ts';
import type { DryRunDecision, DryRunSide } from '#core/research/dry-run.ts';
import type { BookedFill } from './book.ts';
import { type Portfolio, runPortfolio } from './portfolio-run.ts';
import type { Run } from './run-state.ts';

/* One side of a dry run: the decisions and the money of every coin. */

/** One coin of a side. */
interface DecidedCoin {
  /** Closes at which it decided, in ms. */
  readonly times: readonly number[];
  decisionAt(nth: number): DryRunDecision;
  /** Value of the coins that it held at the start, in quote. */
  readonly held: Decimal;
  readonly side: DryRunSide;
}

export interface DecidedSide {
  readonly coins: readonly DecidedCoin[];
}

type Order = NonNullable<DryRunDecision['order']>;

/** The decisions of a coin. Orders are few, so only they are objects. */
interface Recorded {
  readonly times: number[];
  readonly reasons: string[];
  readonly orders: Map<number, Order>;
  /** Number of the newest order at the last decision. */
  newest: number;
}

/** Runs one side and keeps all of its decisions. */
export function decideSide(portfolio: Portfolio): DecidedSide {
  const recorded = new Map<string, Recorded>();
  for (const { rules } of portfolio.profiles.flatMap(({ coins }) => coins))
    recorded.set(rules.symbol, { times: [], reasons: [], orders: new Map(), newest: 0 });
  const { runs } = runPortfolio(portfolio, (run, nowMs, reason) => {
    const own = recorded.get(run.book.rules.symbol);
    if (own === undefined) return;
    const order = orderAfter(run, own.newest);
    if (order !== undefined) own.orders.set(own.times.length, order);
    own.newest = run.book.orders;
    own.times.push(nowMs);
    own.reasons.push(reason);
  });
  return { coins: runs.map((run) => decidedCoin(run, recorded.get(run.book.rules.symbol))) };
}

/** The order of a decision: one with a number above that of the last decision. Stops that follow a level are not decisions. */
function orderAfter({ book: { pending, entry, rules } }: Run, newest: number): Order | undefined {
  if (pending !== null && pending.number > newest)
    return { side: pending.side, quantity: formatDecimal(pending.quantity), limit: null };
  if (entry === null || entry.number <= newest) return undefined;
  const limit = formatDecimal(fromSteps(entry.limitTicks, rules.price.tick));
  return { side: entry.side, quantity: formatDecimal(entry.quantity), limit };
}

function decidedCoin(run: Run, recorded: Recorded | undefined): DecidedCoin {
  const { times = [], reasons = [], orders } = recorded ?? {};
  const { detail, start, opening } = run.input;
  const atOpen = Math.round((detail.columns.open[start] ?? 0) / run.tick);
  const quantity = opening?.position.quantity ?? ZERO;
  const held = multiply(quantity, fromSteps(atOpen, run.book.rules.price.tick));
  return {
    times,
    held,
    decisionAt: (nth) => ({ reason: reasons[nth] ?? '', order: orders?.get(nth) ?? null }),
    side: sideOf(run, { held, decisions: times.length }),
  };
}

const sumOf = (fills: readonly BookedFill[], what: (fill: BookedFill) => Decimal): Decimal =>
  fills.reduce((sum, fill) => add(sum, what(fill)), ZERO);

/** By the identity of core/position: realised and unrealised profit sum to the change of the equity, to the last digit. */
function sideOf({ book, input, view }: Run, { held, decisions }: { held: Decimal; decisions: number }): DryRunSide {
  const { fills, position, stop, rules } = book;
  const value = multiply(position.quantity, fromSteps(view.price, rules.price.tick));
  const realised = sumOf(fills, (fill) => fill.realised);
  const before = subtract(held, input.opening?.position.cost ?? ZERO);
  const filled = (side: 'buy' | 'sell'): number =>
    new Set(fills.flatMap(({ fill }) => (fill.side === side ? [fill.exchangeOrderId] : []))).size;
  return {
    decisions,
    net: formatDecimal(add(realised, subtract(subtract(value, position.cost), before))),
    realised: formatDecimal(realised),
    fees: formatDecimal(sumOf(fills, (fill) => fill.feeQuote)),
    orders: book.orders,
    ...{ buys: filled('buy'), sells: filled('sell'), doubtful: book.doubtful },
    position: {
      quantity: formatDecimal(position.quantity),
      averagePrice: formatDecimal(position.averagePrice),
      value: formatDecimal(value),
      stop: stop === null || stop.stopTicks === 0 ? null : formatDecimal(fromSteps(stop.stopTicks, rules.price.tick)),
    },
  };
}

/** A side without any candle. */
export const NO_SIDE: DryRunSide = {
  ...{ decisions: 0, net: '0', realised: '0', fees: '0', orders: 0, buys: 0, sells: 0, doubtful: 0 },
  position: { quantity: '0', averagePrice: '0', value: '0', stop: null },
};

/** The money of several coins together. */
export function moneyOf(sides: readonly DryRunSide[]): Omit<DryRunSide, 'decisions' | 'position'> {
  const amount = (name: 'net' | 'realised' | 'fees'): string =>
    formatDecimal(sides.reduce((sum, side) => add(sum, requireDecimal(side[name])), ZERO));
  const count = (name: 'orders' | 'buys' | 'sells' | 'doubtful'): number =>
    sides.reduce((sum, side) => sum + side[name], 0);
  return {
    ...{ net: amount('net'), realised: amount('realised'), fees: amount('fees') },
    ...{ orders: count('orders'), buys: count('buys'), sells: count('sells'), doubtful: count('doubtful') },
  };
}

/** The same reason, and the same order or none. */
export function isSameDecision(one: DryRunDecision, other: DryRunDecision): boolean {
  const [a, b] = [one.order, other.order];
  if (one.reason !== other.reason || (a === null) !== (b === null)) return false;
  return a === null || b === null || (a.side === b.side && a.quantity === b.quantity && a.limit === b.limit);
}
