import { basketCoin, type BasketCoin, type BasketTurn, createBasket } from '#core/basket.ts';
import { INTERVAL_MS } from '#core/candle.ts';
import { fromSteps, toNumber } from '#core/decimal.ts';
import type { BookedFill } from './book.ts';
import { endDays, type EquityMeter, moveExtremes, openMeter } from './equity.ts';
import { baseFeeRate } from './fills.ts';
import { type KernelInput, openRun, type Run } from './kernel.ts';
import { meetCandle, meetOpen, order } from './market.ts';

export interface BasketFill extends BookedFill {
  readonly symbol: string;
}

/** What a basket made of its window. */
export interface BasketRun {
  readonly fills: readonly BasketFill[];
  readonly meter: EquityMeter;
  /** How often each reason was the answer, over all coins. */
  readonly counts: ReadonlyMap<string, number>;
  /** Each coin, in the order of the inputs. */
  readonly runs: readonly Run[];
  /** Closes at which any coin moved, and those at which any was held. */
  readonly closes: number;
  readonly heldCloses: number;
}

/** Hears the reason of each coin at each close. */
type HearReason = (symbol: string, nowMs: number, reason: string) => void;

interface Seat {
  readonly run: Run;
  readonly symbol: string;
  /** The next detail candle of the coin. */
  row: number;
  priceTicks: number;
  closedMs: number;
}

/**
 * Runs one strategy that plans over several coins, with one purse: each input is a coin, all with the same strategy, terms
 * and window. Detail candles are taken in order of time; at each close the coins come round one after the other.
 */
export function runBasket(inputs: readonly KernelInput[], hear?: HearReason): BasketRun {
  const [first] = inputs;
  const planner = first?.bound.planner;
  if (first === undefined || planner === undefined)
    throw new RangeError('a basket needs coins, and a strategy that plans');
  const seats: Seat[] = inputs.map((input) => {
    const run = openRun(input);
    const startMs = input.detail.columns.openMs[input.start] ?? 0;
    // As live, the first plan is made with the candle that closed before the window.
    const closedMs = run.feed.warmUp > 0 ? startMs - (startMs % INTERVAL_MS[input.bound.needs.interval]) : 0;
    return { run, symbol: input.rules.symbol, row: input.start, priceTicks: 0, closedMs };
  });
  const basket = createBasket(planner);
  const fills: BasketFill[] = [];
  const counts = new Map<string, number>();
  const balance = toNumber(first.terms.balance);
  const meter = openMeter(balance, Math.min(...seats.map(openMsOf)));
  const lengthMs = INTERVAL_MS[first.detail.interval];
  let purse = first.terms.balance;
  let [closes, heldCloses] = [0, 0];
  const using = <T>({ run }: Seat, work: () => T): T => {
    const { book } = run;
    const known = book.fills.length;
    book.cash = purse;
    const done = work();
    purse = book.cash;
    for (const fill of book.fills.slice(known)) fills.push({ ...fill, symbol: run.input.rules.symbol });
    return done;
  };
  for (;;) {
    const opensMs = Math.min(...seats.map(openMsOf));
    if (!Number.isFinite(opensMs)) {
      return { fills, meter, counts, runs: seats.map(({ run }) => run), closes, heldCloses };
    }
    const nowMs = opensMs + lengthMs;
    if (nowMs > meter.dayEndMs) endDays(meter, nowMs);
    const moving = seats.filter((seat) => openMsOf(seat) === opensMs);
    for (const seat of moving) using(seat, () => advance(seat, nowMs));
    // Within one moment only the coin whose turn it was can look otherwise.
    let coins = seats.map((each) => coinOf(each, opensMs));
    for (const seat of moving) {
      const { run, symbol } = seat;
      const { takerFee } = run.view;
      const turn = basket.turn(symbol, nowMs, { coins, freeQuote: toNumber(purse), takerFee });
      const reason = using(seat, () => act(run, turn));
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
      coins = coins.with(seats.indexOf(seat), coinOf(seat, opensMs));
      hear?.(symbol, nowMs, reason);
    }
    const held = seats.reduce((sum, { run, priceTicks }) => sum + run.book.quantityNumber * priceTicks * run.tick, 0);
    closes += 1;
    if (seats.some(({ run }) => run.view.sellable)) heldCloses += 1;
    meter.last = toNumber(purse) + held;
    if (meter.last > meter.peak || meter.last < meter.floor) moveExtremes(meter, meter.last, nowMs);
  }
}

const openMsOf = ({ run: { input }, row }: Seat): number =>
  row < input.end ? (input.detail.columns.openMs[row] ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;

/** Lets orders meet the next candle, then brings the coin to its close. */
function advance(seat: Seat, nowMs: number): void {
  const { run, row } = seat;
  const { book, view, feed, wake, grid, input, gates } = run;
  const { low, high } = input.detail.columns;
  if (book.pending !== null) meetOpen(run, row);
  if ((low[row] ?? 0) < wake.below || (high[row] ?? 0) > wake.above) meetCandle(run, row);
  seat.priceTicks = grid.closeTicks[row] ?? 0;
  seat.row += 1;
  view.nowMs = nowMs;
  view.price = seat.priceTicks;
  if (gates !== null && gates.nextMs <= nowMs) gates.give();
  if (feed.nextCloseMs > nowMs) return;
  feed.give();
  seat.closedMs = nowMs - (nowMs % INTERVAL_MS[input.bound.needs.interval]);
}

function act(run: Run, turn: BasketTurn): string {
  run.view.basket = turn;
  const decision = run.instance.decide(run.view);
  return decision.kind === 'nothing' ? decision.reason : order(run, decision);
}

/** A coin whose candle is missing has no fresh price. */
function coinOf({ run, row, priceTicks, closedMs }: Seat, opensMs: number): BasketCoin {
  const { book, instance, input } = run;
  const { rules, terms } = input;
  const score = instance.ranking?.score() ?? null;
  const fresh = row > input.start && input.detail.columns.openMs[row - 1] === opensMs;
  const shortfall = score === null ? 'enough candles' : null;
  const facts = { score, closedMs, lacks: fresh ? shortfall : 'a fresh price', settled: book.pending === null };
  const price = fromSteps(priceTicks, rules.price.tick);
  return basketCoin({ position: book.position, rules, price, baseFeeRate: baseFeeRate(terms), ...facts });
}
