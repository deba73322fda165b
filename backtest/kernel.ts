import { INTERVAL_MS } from '#core/market/candle.ts';
import { lowerBound } from '#core/market/candle-columns.ts';
import { toNumber } from '#core/amount/decimal.ts';
import { openView, viewPosition } from '#core/judge/view.ts';
import { readStoredState } from '#core/position/strategy-state.ts';
import { gridOf, type CandleRun } from '#strategies/strategy.ts';
import { type Book, openBook, openBalance, type SharedBalance, updateCapitalInUse } from './book.ts';
import { endDays, type EquityMeter, meterRows, moveExtremes, openMeter } from './equity.ts';
import { firstBelow } from '#core/market/extremes.ts';
import { feedLonger, openFeed, openGates } from './feed.ts';
import { baseFeeRate } from './fills.ts';
import { actInside } from './inside.ts';
import { updateStop, matchCandle, fillAtOpen, placeDecision, withFailedStop } from './market.ts';
import { offGridIn, priceGrid } from './price-grid.ts';
import type { KernelInput, Run } from './run-state.ts';
import { withSignals } from './signals.ts';
import { BookSituation } from './situation.ts';

/*
 * The fill model of a backtest.
 *
 * A run processes detail candles: the candles of the strategy, or finer ones. A candle has four prices and no order of
 * events. The model therefore fixes an order, and counts the candles in which another order gives another result.
 *
 * For each detail candle, in this order:
 *
 * 1. Open (market.ts fillAtOpen, book.ts settlePending). First the strategy receives candles that closed in a gap before
 *    this open. Then the market order of the last close fills at the open. Slippage, half the spread and rounding to the
 *    tick size worsen its price (fills.ts marketPrice). A buy that costs more than the available cash is rejected.
 * 2. Inside (market.ts matchCandle, resting.ts matchBar). Resting orders are matched against low and high: first the buy,
 *    then the protective stop. A stop that was placed in step 1 or by that buy is already active here.
 *    - A limit buy fills when the price trades through the limit. A touch is not enough, and makes the candle doubtful.
 *    - A buy with a trigger fills at the trigger or at a worse open, never above its limit.
 *    - The stop fills at the trigger or at a worse open, never below its limit. Below the limit it stays in the book and
 *      fills once the price trades through the limit.
 *    - A target next to the stop (one order list) fills at its limit when the price trades through it. The first execution of
 *      a leg, and a trigger of the stop, end the other leg. A candle that reaches both is doubtful.
 *    - After each fill (market.ts afterFill) the strategy sees the new position, and its stop is placed at once.
 *    - A fill at a price other than the open has the time of the last millisecond of the candle.
 * 3. Close (feed.ts, then decide). The strategy receives the candles that have closed and decides at the close. A stop that
 *    triggered and did not sell becomes a market sale of the whole position when the close is at or below its trigger
 *    (market.ts withFailedStop).
 * 4. Order (place.ts placeOrder). The decision becomes an order by the rules of live trading (core/judge): limits of the
 *    account, cool-down, gates, size, balance, trading rules. It fills in a later candle, never in this one.
 * 5. Stop (place.ts replanStop). The stop on the exchange is placed, moved or cancelled by the plan of live trading
 *    (core/judge/stop.ts).
 * 6. Measure (equity.ts). The equity is cash plus the position at the close.
 *
 * Volume. With `participation`, all orders of one candle together fill at most that share of its volume (book.ts takeRoom).
 * The rest of an order waits for the next candle.
 *
 * Doubtful candles. The base run assumes that each candle rose before it fell. `book.ambiguous` counts candles in which the
 * opposite path gives another outcome; run.ts then repeats the run with `path: 'fall-first'`. `book.overrun` counts stops
 * that sold at the touch although the price then fell below their limit, and how much that may hide.
 *
 * Inside candles (inside.ts). A strategy that acts at any price is run a second time with `inside`. It then also decides at
 * the prices inside the candle at which it acts, first on the way up, then down. run.ts merges all these endings into the
 * ambiguity band: worst, base and best final equity.
 *
 * Quiet candles. After a decision that does nothing, the strategy may skip candles that reach no resting order and change
 * no decision (skipCandles below, StrategyInstance.skipQuietCandles). The result is the same as candle by candle.
 *
 * Several coins (portfolio-run.ts). Coins of one account share one balance. At each open the market orders of all coins fill
 * first, then the candle is matched coin by coin, then the coins decide one after the other. A buy may spend only the cash
 * that no other coin has claimed.
 *
 * The end. A position that is still open is valued at the last close and not sold.
 * rules.md has the same model with all formulas, for the documents.
 */

/** The outcome of a run. `reasons[code]` names a code of `counts` and `decisions`. */
export interface KernelRun {
  readonly book: Book;
  readonly meter: EquityMeter;
  readonly reasons: readonly string[];
  readonly counts: Float64Array;
  readonly decisions: Uint8Array | null;
  /** Detail candles at whose close a position was held. */
  readonly heldCandles: number;
  /** Candles that the strategy skipped in bulk because nothing could happen on them. */
  readonly skipped: number;
  /** With `inside`: candles that crossed a price at which the strategy acts, but did not close there. */
  readonly crossed: number;
  readonly warmUp: number;
  readonly offGrid: number;
}

/** `decisions` stores a reason in one byte. */
const MOST_REASONS = 256;

/**
 * Runs one strategy over the candles of one coin by the fill model above. Pure and deterministic. A candle on which nothing
 * happens allocates nothing.
 */
export function runKernel(input: KernelInput): KernelRun {
  const run = openRun(input);
  const { book, meter, decisions, feed, offGrid } = run;
  return { book, meter, decisions, warmUp: feed.warmUp, offGrid, ...drive(run) };
}

/** State of one coin, warmed up to the first candle of the window. Coins of one account share `balance`. */
export function openRun(input: KernelInput, balance: SharedBalance = openBalance(input.terms.balance)): Run {
  const { bound, rules, terms, detail, start, end } = input;
  const taker = toNumber(terms.feeRate);
  const view = openView({ taker, maker: toNumber(terms.makerFeeRate ?? terms.feeRate) }, bound.readable);
  const saved = readStoredState(input.opening?.state);
  const instance = withSignals(bound.create(gridOf(rules), saved?.instance), input);
  const startMs = detail.columns.openMs[start] ?? 0;
  const book = openBook(rules, terms, { balance, cooldownMs: bound.shared.lossCooldownMs });
  if (input.opening !== undefined) takeOver(input, { book, view, instance });
  feedLonger(input, instance, startMs);
  const feed = openFeed(input.signal, { instance, view }, { startMs, want: bound.needs.want });
  const gates = openGates(input, view, startMs);
  const meter = openMeter(toNumber(terms.balance), startMs);
  const tick = toNumber(rules.price.tick);
  const grid = priceGrid(detail.columns, tick);
  const offGrid = offGridIn(grid, start, end);
  const decisions = input.recordDecisions === true ? new Uint8Array(Math.max(0, end - start)) : null;
  const wake = { below: Number.NEGATIVE_INFINITY, above: Number.POSITIVE_INFINITY };
  const situation = new BookSituation(book, bound.shared, gates?.gates ?? null);
  const run = { input, view, instance, feed, book, meter, grid, offGrid, tick, decisions, wake, gates, situation };
  // A position that is taken over has its stop from the start, as in live trading.
  if (input.opening !== undefined && view.sellable) updateStop(run, false);
  return run;
}

/** Gives the position of the opening to book, view and strategy, like the engine when a coin starts. */
function takeOver(
  { opening, bound, rules, terms, detail, start }: KernelInput,
  { book, view, instance }: Pick<Run, 'book' | 'view' | 'instance'>,
): void {
  if (opening === undefined) return;
  const { position, levels } = opening;
  book.position = position;
  book.levels = levels;
  book.quantityNumber = toNumber(position.quantity);
  book.stopNeedsReview = true;
  updateCapitalInUse(book);
  viewPosition(view, { position, levels, rules, terms: bound.shared, baseFeeRate: () => baseFeeRate(terms) });
  view.nowMs = detail.columns.openMs[start] ?? 0;
  view.price = Math.round((detail.columns.open[start] ?? 0) / toNumber(rules.price.tick));
  const last = position.lastFillAt?.toISOString() ?? null;
  const seen = readStoredState(opening.state)?.lastFillAt ?? null;
  if (last !== null && last !== seen) instance.onFill(position.firstBuyAt === null ? 'sell' : 'buy', view);
}

function drive(run: Run): Pick<KernelRun, 'reasons' | 'counts' | 'heldCandles' | 'skipped' | 'crossed'> {
  const { view, instance, feed, book, meter, grid, decisions, wake, gates, input } = run;
  const { balance } = book;
  const { start, end, detail, bound, stepwise = false } = input;
  const { closeTicks } = grid;
  const { openMs, high, low, close } = detail.columns;
  const lengthMs = INTERVAL_MS[detail.interval];
  const guards = bound.shared.protectiveStop !== undefined;
  const skips = !stepwise && instance.skipQuietCandles !== undefined && gates === null;
  const candleRun = openCandleRun(run);
  const looksInside = input.inside === true && instance.reach !== undefined;
  let crossed = 0;
  const codes = new Map<string, number>();
  const counts = new Float64Array(MOST_REASONS);
  let lastReason = '';
  let code = 0;
  let heldCandles = 0;
  let skipped = 0;
  for (let row = start; row < end; row++) {
    const opensMs = openMs[row] ?? 0;
    if (book.pending !== null) fillAtOpen(run, row);
    const reached = (low[row] ?? 0) < wake.below || (high[row] ?? 0) > wake.above;
    if (reached) matchCandle(run, row);
    // The strategy has already processed the candle that ended the skipped run.
    const known = candleRun.candles && feed.row > row;
    if (looksInside && !known && actInside(run, row) && !reached) crossed += 1;
    const nowMs = opensMs + lengthMs;
    if (nowMs > meter.dayEndMs) endDays(meter, nowMs);
    const priceTicks = closeTicks[row] ?? 0;
    view.nowMs = nowMs;
    view.price = priceTicks;
    if (gates !== null && gates.nextMs <= nowMs) gates.feedClosed();
    if (feed.nextCloseMs <= nowMs) feed.feedClosed();
    const decided = instance.decide(view);
    const decision = book.stop?.triggered === true ? withFailedStop(decided, book, view) : decided;
    let { reason } = decision;
    if (decision.kind !== 'nothing') reason = placeDecision(run, decision);
    if (guards && (view.sellable || book.stop !== null || book.target !== null)) updateStop(run, false);
    if (reason !== lastReason) {
      lastReason = reason;
      code = codeOf(codes, reason);
    }
    counts[code] = (counts[code] ?? 0) + 1;
    if (decisions !== null) decisions[row - start] = code;
    if (view.sellable) heldCandles += 1;
    const equity = balance.cashNumber + book.quantityNumber * (close[row] ?? 0);
    meter.last = equity;
    if (equity > meter.peak || equity < meter.floor) moveExtremes(meter, equity, nowMs);
    if (!skips || decision.kind !== 'nothing' || book.pending !== null || book.entry !== null) continue;
    candleRun.answer = decision;
    candleRun.from = row + 1;
    const more = skipCandles(run, candleRun) - row - 1;
    counts[code] = (counts[code] ?? 0) + more;
    decisions?.fill(code, row + 1 - start, row + 1 - start + more);
    if (view.sellable) heldCandles += more;
    skipped += more;
    row += more;
  }
  return { reasons: [...codes.keys()], counts: counts.subarray(0, codes.size), heldCandles, skipped, crossed };
}

/** Rows searched ahead for one that reaches a resting order. */
const AHEAD = 4096;

/** One reused object; `from` and `to` are set before each use. */
function openCandleRun({ input: { signal, detail, inside = false }, grid }: Run): CandleRun {
  const { openMs, open, high, low, close, volume } = detail.columns;
  const { closeTicks, lowTicks } = grid;
  const candles = signal.columns.openMs === openMs;
  const answer = { kind: 'nothing', reason: '' } as const;
  const prices = { open, high, low, close, volume, closeTicks, lowTicks };
  return { openMs, ...prices, candles, from: 0, to: 0, answer, guarded: false, inside };
}

/** Lets the strategy skip candles from `candleRun.from` on that reach no order; returns the first row that was not skipped. */
function skipCandles(run: Run, candleRun: CandleRun): number {
  const { book, feed, wake, grid, view, meter, input, instance } = run;
  const { openMs, from, candles } = candleRun;
  const lengthMs = INTERVAL_MS[input.detail.interval];
  const guarded = input.bound.shared.protectiveStop !== undefined && (view.sellable || book.stop !== null);
  if (guarded && (book.stopNeedsReview || book.stop?.triggered === true)) return from;
  let to = Math.min(input.end, from + AHEAD);
  if (candles && feed.row !== from) return from;
  if (!candles) to = Math.min(to, lowerBound(openMs, feed.nextCloseMs - lengthMs));
  candleRun.guarded = guarded;
  candleRun.to = firstBelow(grid.lows, wake.below, { from, to });
  if (book.target !== null) candleRun.to = firstAbove(candleRun, wake.above);
  const stopped = candleRun.to > from ? (instance.skipQuietCandles?.(view, candleRun) ?? -1) : -1;
  if (stopped < from) return from;
  if (candles) feed.skipTo(Math.min(stopped + 1, candleRun.to));
  if (stopped === from) return from;
  const { balance, quantityNumber: quantity } = book;
  const cash = balance.cashNumber;
  meterRows(meter, { openMs, lengthMs, closes: grid.closes, cash, quantity, from, to: stopped });
  view.nowMs = (openMs[stopped - 1] ?? 0) + lengthMs;
  view.price = grid.closeTicks[stopped - 1] ?? 0;
  return stopped;
}

/** The first row that reaches the target. */
function firstAbove({ high, from, to }: CandleRun, above: number): number {
  let row = from;
  while (row < to && (high[row] ?? 0) <= above) row += 1;
  return row;
}

function codeOf(codes: Map<string, number>, reason: string): number {
  const known = codes.get(reason);
  if (known !== undefined) return known;
  const code = codes.size;
  if (code >= MOST_REASONS) throw new RangeError(`more than ${MOST_REASONS} different reasons in one run`);
  codes.set(reason, code);
  return code;
}
