import { type Decimal, multiply, ONE, toNumber } from '#core/amount/decimal.ts';
import type { Numbers } from '#core/decision/decision.ts';
import type { Position } from '#core/position/position.ts';
import { EXIT_MARGIN, minOrderQuote } from './sizing.ts';
import type { SymbolRules } from '#core/market/symbol.ts';

/** One coin of a basket. Amounts and quantities are float64; only orders are exact. */
export interface BasketCoin {
  readonly symbol: string;
  readonly quantity: number;
  readonly price: number;
  readonly step: number;
  /** Smallest sale and smallest buy that the exchange accepts and that can be reversed, in quote. */
  readonly minSell: number;
  readonly minBuy: number;
  /** Score for a ranking basket; null while there are too few candles. */
  readonly score: number | null;
  /** Close of its newest closed candle. */
  readonly closedMs: number;
  /** Why the coin blocks a plan, such as an old price; null when it does not. */
  readonly lacks: string | null;
  /** No order of the coin is in flight. */
  readonly settled: boolean;
}

/** Input of a plan for one coin. */
export function basketCoin({
  position,
  rules,
  price,
  baseFeeRate,
  ...rest
}: {
  readonly position: Position;
  readonly rules: SymbolRules;
  readonly price: Decimal;
  readonly baseFeeRate: number;
} & Pick<BasketCoin, 'score' | 'closedMs' | 'lacks' | 'settled'>): BasketCoin {
  const stop = { stopMultiple: null, stopLimitOffset: ONE, baseFeeRate };
  return {
    ...rest,
    symbol: rules.symbol,
    quantity: position.firstBuyAt === null ? 0 : toNumber(position.quantity),
    price: toNumber(price),
    step: toNumber(rules.lot.step),
    minSell: toNumber(multiply(rules.notional.min, EXIT_MARGIN)),
    minBuy: price > 0n ? toNumber(minOrderQuote({ price, rules, ...stop })) : 0,
  };
}

export interface BasketView {
  readonly coins: readonly BasketCoin[];
  readonly freeQuote: number;
  readonly takerFee: number;
}

/** One trade of a plan: whole lots to sell, or quote to spend. */
export interface Leg {
  readonly symbol: string;
  readonly side: 'buy' | 'sell';
  readonly reason: string;
  readonly lots: number;
  readonly quote: number;
  readonly numbers: Numbers;
}

/** A plan over the whole basket. Without legs, `reason` is the cause. */
export interface BasketPlan {
  readonly reason: string;
  readonly numbers: Numbers;
  readonly legs: readonly Leg[];
  /** Quote that the plan may spend in addition to the proceeds of its sales. */
  readonly cash: number;
  /** Planned value of each coin in quote; absent where the plan has none. */
  readonly shares?: ReadonlyMap<string, number>;
}

export interface Planner {
  plan(basket: BasketView): BasketPlan;
  /** Scales the buys of a plan to the available quote. Buys that become too small are dropped, smallest first. */
  fit(buys: readonly Leg[], money: number, coins: readonly BasketCoin[]): readonly Leg[];
}

/** Task of one coin at this tick: a leg, or the reason for none. */
export interface BasketTurn {
  readonly reason: string;
  readonly numbers: Numbers;
  readonly leg: Leg | null;
  /** Planned value of the coin in quote, from the last plan; absent before one. */
  readonly share?: number;
}

/** Maximum wait for the sales. After it the buys start with the proceeds so far. */
const SELL_WAIT_MS = 60_000;

interface Running {
  readonly cash: number;
  readonly freeAtStart: number;
  readonly startedMs: number;
  readonly numbers: Numbers;
  sells: readonly Leg[];
  buys: readonly Leg[];
  fitted: boolean;
  /** Legs handed out, and completed legs. */
  readonly asked: Set<string>;
  readonly over: Set<string>;
}

/** The plan of one profile over all its coins: one per closed candle, sales before buys, one attempt per leg. */
export interface Basket {
  /** Close of the candle of the last plan. */
  planMs: number;
  turn(symbol: string, nowMs: number, view: BasketView): BasketTurn;
}

export function createBasket(planner: Planner): Basket {
  let running: Running | null = null;
  let shares: BasketPlan['shares'];
  const basket: Basket = {
    planMs: 0,
    turn(symbol, nowMs, view) {
      const turn = turnOf(symbol, nowMs, view);
      const share = shares?.get(symbol);
      return share === undefined ? turn : { ...turn, share };
    },
  };
  const turnOf: Basket['turn'] = (symbol, nowMs, view) => {
    if (running !== null) follow(running, symbol, view);
    const newest = Math.max(...view.coins.map(({ closedMs }) => closedMs));
    // For a past candle only legs in flight continue. The next plan starts from their outcome.
    const past =
      newest > basket.planMs && running !== null && [...running.asked].every((each) => running?.over.has(each));
    if (running !== null && (past || isOver(running))) running = null;
    if (running !== null) return legOf(running, symbol, { nowMs, view, planner });
    const lacking = view.coins.filter(({ lacks }) => lacks !== null);
    if (newest <= basket.planMs) {
      const until = new Date(newest).toISOString();
      return { reason: 'plan-not-due', numbers: { closed: until }, leg: null };
    }
    if (lacking.length > 0 || view.coins.some(({ closedMs }) => closedMs < newest)) {
      const symbols = view.coins.filter(({ lacks, closedMs }) => lacks !== null || closedMs < newest);
      const what = lacking[0]?.lacks ?? 'the newest candle';
      const numbers = { symbols: symbols.map((each) => each.symbol).join(', '), what };
      return { reason: 'plan-data-missing', numbers, leg: null };
    }
    basket.planMs = newest;
    const { reason, numbers, legs, cash, shares: planned } = planner.plan(view);
    shares = planned;
    if (legs.length === 0) return { reason, numbers, leg: null };
    const [sells, buys] = [legs.filter(({ side }) => side === 'sell'), legs.filter(({ side }) => side === 'buy')];
    const start = { cash, freeAtStart: view.freeQuote, startedMs: nowMs, numbers };
    running = { ...start, sells, buys, fitted: false, asked: new Set(), over: new Set() };
    return legOf(running, symbol, { nowMs, view, planner });
  };
  return basket;
}

/** A leg is complete at the next turn of its coin without an order in flight. */
function follow({ asked, over }: Running, symbol: string, { coins }: BasketView): void {
  if (asked.has(symbol) && coins.some((coin) => coin.symbol === symbol && coin.settled)) over.add(symbol);
}

const isOver = ({ sells, buys, over, fitted }: Running): boolean =>
  (fitted || buys.length === 0) && [...sells, ...buys].every(({ symbol }) => over.has(symbol));

interface Moment {
  readonly nowMs: number;
  readonly view: BasketView;
  readonly planner: Planner;
}

function legOf(running: Running, symbol: string, { nowMs, view, planner }: Moment): BasketTurn {
  const { sells, asked, over, cash, freeAtStart, startedMs } = running;
  const sold = sells.every((leg) => over.has(leg.symbol)) || nowMs - startedMs >= SELL_WAIT_MS;
  if (sold && !running.fitted) {
    const realised = Math.max(0, view.freeQuote - freeAtStart);
    running.buys = planner.fit(running.buys, Math.min(view.freeQuote, cash + realised), view.coins);
    running.fitted = true;
  }
  const mine = [...sells, ...(sold ? running.buys : [])].find((leg) => leg.symbol === symbol && !asked.has(symbol));
  if (mine !== undefined) {
    asked.add(symbol);
    return { reason: mine.reason, numbers: { ...running.numbers, ...mine.numbers }, leg: mine };
  }
  const open = sells.length + running.buys.length - over.size;
  return { reason: 'plan-unsettled', numbers: { open }, leg: null };
}
