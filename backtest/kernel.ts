import { INTERVAL_MS } from '#core/market/candle.ts';
import { lowerBound } from '#core/market/candle-columns.ts';
import { toNumber } from '#core/amount/decimal.ts';
import { gridOf, type CandleRun } from '#strategies/strategy.ts';
import { type Book, openBook, openBalance, type SharedBalance } from './book.ts';
import { endDays, type EquityMeter, meterRows, moveExtremes, openMeter } from './equity.ts';
import { firstBelow } from './extremes.ts';
import { openFeed, openGates } from './feed.ts';
import { actInside } from './inside.ts';
import { updateStop, matchCandle, fillAtOpen, placeDecision, withFailedStop } from './market.ts';
import { priceGrid } from './price-grid.ts';
import { openView } from './view.ts';
import type { KernelInput, Run } from './run-state.ts';

/** What a run left behind. `reasons[code]` names a code of `counts` and `decisions`. */
export interface KernelRun {
  readonly book: Book;
  readonly meter: EquityMeter;
  readonly reasons: readonly string[];
  readonly counts: Float64Array;
  readonly decisions: Uint8Array | null;
  /** Detail candles at whose close a position was held. */
  readonly heldCandles: number;
  /** Candles that the strategy passed in stretches; at the others it was asked. */
  readonly skipped: number;
  /** With `inside`: candles that crossed a price at which the strategy acts and closed elsewhere. */
  readonly crossed: number;
  readonly warmUp: number;
  readonly offGrid: number;
}

/** More reasons than one byte can name would be a bug of a strategy. */
const MOST_REASONS = 256;

/**
 * Drives one strategy over the candles of one coin, exactly as the live engine would at every detail close: fill what
 * was ordered before, feed the candles that have closed, decide, check, order, look after the stop on the exchange. Pure
 * and deterministic; a candle on which nothing happens allocates nothing.
 */
export function runKernel(input: KernelInput): KernelRun {
  const run = openRun(input);
  const { book, meter, decisions, feed, offGrid } = run;
  return { book, meter, decisions, warmUp: feed.warmUp, offGrid, ...drive(run) };
}

/** Everything that one coin of a run needs, warmed up to the first candle of the window; coins of one account share `purse`. */
export function openRun(input: KernelInput, balance: SharedBalance = openBalance(input.terms.balance)): Run {
  const { bound, rules, terms, detail, start, end } = input;
  const taker = toNumber(terms.feeRate);
  const view = openView({ taker, maker: toNumber(terms.makerFeeRate ?? terms.feeRate) }, bound.readable);
  const instance = bound.create(gridOf(rules));
  const startMs = detail.columns.openMs[start] ?? 0;
  const feed = openFeed(input.signal, { instance, view }, { startMs, want: bound.needs.want });
  const gates = openGates(input, view, startMs);
  const book = openBook(rules, terms, { balance, cooldownMs: bound.shared.lossCooldownMs });
  const meter = openMeter(toNumber(terms.balance), startMs);
  const tick = toNumber(rules.price.tick);
  const grid = priceGrid(detail.columns, tick);
  const offGrid = grid.offGrid.filter((row) => row >= start && row < end).length;
  const decisions = input.recordDecisions === true ? new Uint8Array(Math.max(0, end - start)) : null;
  const wake = { below: Number.NEGATIVE_INFINITY, above: Number.POSITIVE_INFINITY };
  return { input, view, instance, feed, book, meter, grid, offGrid, tick, decisions, wake, gates, account: null };
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
    // The candle that ended a candleRun has been taken: the strategy knows it already.
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
    const decision = book.stop?.triggered === true ? withFailedStop(decided, book, priceTicks) : decided;
    let { reason } = decision;
    if (decision.kind !== 'nothing') reason = placeDecision(run, decision);
    if (guards && (view.sellable || book.stop !== null)) updateStop(run, false);
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

/** Rows that are looked ahead for one that reaches a waiting order. */
const AHEAD = 4096;

/** The candleRun of a run, whose rows are set anew each time it is used. */
function openCandleRun({ input: { signal, detail, inside = false }, grid }: Run): CandleRun {
  const { openMs, high, close } = detail.columns;
  const { closeTicks, lowTicks } = grid;
  const candles = signal.columns.openMs === openMs;
  const answer = { kind: 'nothing', reason: '' } as const;
  const prices = { high, close, closeTicks, lowTicks };
  return { openMs, ...prices, candles, from: 0, to: 0, answer, guarded: false, inside };
}

/** Lets the strategy pass the candles from `candleRun.from` on that reach no order; returns the first that was not passed. */
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

function codeOf(codes: Map<string, number>, reason: string): number {
  const known = codes.get(reason);
  if (known !== undefined) return known;
  const code = codes.size;
  if (code >= MOST_REASONS) throw new RangeError(`more than ${MOST_REASONS} different reasons in one run`);
  codes.set(reason, code);
  return code;
}
