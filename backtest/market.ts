import { INTERVAL_MS } from '#core/market/candle.ts';
import { fromSteps, minimum, multiply, subtract, toNumber } from '#core/amount/decimal.ts';
import type { Decision } from '#core/decision/decision.ts';
import { failureOf } from '#core/judge/stop.ts';
import { type TickView, viewPosition } from '#core/judge/view.ts';
import { SELL_FAILED_STOP } from '#core/sizing/protective-stop.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import { settingsNow } from '#strategies/strategy.ts';
import { type Book, endOtherLeg, updateCapitalInUse, type Session, settlePending, settleResting } from './book.ts';
import { baseFeeRate, marketPrice } from './fills.ts';
import type { Run } from './run-state.ts';
import { replanStop, placeOrder } from './place.ts';
import { type Bar, matchBar, type Resting, targetWake, wakeAbove, wakeBelow } from './resting.ts';
import { viewOrders } from './view.ts';

/* Orders of a coin against candles: see the fill model in kernel.ts. */

/** Replaces the decision when the stop triggered but did not sell: the whole position is sold at the market. */
export function withFailedStop(decision: Decision, { stop, pending, rules }: Book, view: TickView): Decision {
  if (pending !== null || stop === null) return decision;
  const price = fromSteps(view.price, rules.price.tick);
  return failureOf({ form: stop.form, price, sellable: view.sellable }) === undefined ? decision : SELL_FAILED_STOP;
}

/** Turns a decision into an order; returns the reason under which it is counted. */
export function placeDecision(run: Run, decision: Exclude<Decision, { kind: 'nothing' }>): string {
  const { view, instance, book, input, situation } = run;
  situation.moveTo(view, decision, settingsNow(input.bound.shared, instance, view));
  const reason = placeOrder(decision, book, situation);
  updateCapitalInUse(book);
  updateOrders(run);
  return reason;
}

/** Plans the stop on the exchange again when the level or the position changed. */
export function updateStop(run: Run, afterRise: boolean): void {
  const { view, instance, book, input, situation } = run;
  const settings = input.bound.shared.protectiveStop;
  if (settings === undefined || book.pending?.side === 'sell') return;
  const ticks = view.sellable ? instance.stopTicks(view) : 0;
  const aims = settings.restsTarget === true && view.sellable;
  const targetTicks = aims ? (instance.targetTicks?.(view) ?? 0) : 0;
  if (ticks === book.plannedStopTicks && targetTicks === book.plannedTargetTicks && !book.stopNeedsReview) return;
  book.plannedStopTicks = ticks;
  book.plannedTargetTicks = targetTicks;
  const reason = ticks > 0 ? instance.stopReason(view) : '';
  const { price: priceTicks, nowMs } = view;
  const targetReason = instance.targetReason ?? reason;
  replanStop(book, situation, { settings, ticks, reason, targetTicks, targetReason, priceTicks, nowMs, afterRise });
  updateOrders(run);
}

/** Updates the view and the wake prices after a change of orders. */
function updateOrders({ view, book, tick, wake }: Run): void {
  viewOrders(view, book);
  wake.below = Math.max(wakeBelow(book.entry, tick), wakeBelow(book.stop, tick));
  wake.above = Math.min(wakeAbove(book.entry, tick), wakeAbove(book.stop, tick), targetWake(book.target, tick));
}

/** Fills the pending market order at the open of the candle. */
export function fillAtOpen(run: Run, row: number): void {
  const { input, tick } = run;
  fillPendingAt(run, { row, ticks: Math.round((input.detail.columns.open[row] ?? 0) / tick) });
}

interface PendingFillInput {
  readonly row: number;
  readonly ticks: number;
  /** Absent: the open. */
  readonly filledMs?: number;
}

/** Fills the pending market order at a price of a candle. */
export function fillPendingAt(run: Run, { row, ticks, filledMs }: PendingFillInput): void {
  const { book } = run;
  const session = openSession(run, row);
  const side = book.pending?.side ?? 'buy';
  const filled = settlePending(book, ticks, filledMs === undefined ? session : { ...session, filledMs });
  if (filled) afterFill(run, { side, ticks, afterRise: false });
  else updateOrders(run);
}

/** `next` is the open after the candle, at which a failed stop sells. */
const bar: Bar & { next: number } = { open: 0, high: 0, low: 0, close: 0, next: 0 };

/** Matches the resting orders against a candle that reaches one of them. A buy below the price comes before the stop. */
export function matchCandle(run: Run, row: number): void {
  const { book, input } = run;
  const session = openSession(run, row);
  readBar(run, row);
  const { entry } = book;
  const rises = entry !== null && entry.stopTicks > 0;
  const entryFirst = entry !== null && (!rises || input.path !== 'fall-first');
  const known = book.ambiguous;
  const overrun = book.overrun.stops;
  if (rises && book.stop !== null && bar.high >= entry.stopTicks && bar.low <= book.stop.stopTicks) book.ambiguous += 1;
  const { target } = book;
  if (entryFirst) matchOrder(run, entry, session);
  matchSales(run, target, session);
  if (entry !== null && !entryFirst) matchOrder(run, entry, session);
  // From the next candle on the flag does not apply.
  if (book.stop !== null) book.stop.afterRise = false;
  book.ambiguous = Math.min(book.ambiguous, known + 1);
  if (book.ambiguous > known || book.overrun.stops > overrun) book.doubtful += 1;
  updateOrders(run);
}

/**
 * Matches the stop, and the target that rested next to it when the candle began. A candle that reaches both is doubtful: the
 * assumed path decides which one sells.
 */
function matchSales(run: Run, target: Resting | null, session: Session): void {
  const { book, input } = run;
  const { stop } = book;
  const rests = target !== null && book.target === target;
  const falls = stop !== null && bar.low <= stop.stopTicks;
  const opensAtStop = stop !== null && bar.open <= stop.stopTicks;
  const opensAtTarget = rests && bar.open > target.limitTicks;
  if (rests && falls && bar.high > target.limitTicks && !opensAtStop && !opensAtTarget) book.ambiguous += 1;
  const targetFirst = opensAtTarget || (!opensAtStop && input.path !== 'fall-first');
  if (rests && (targetFirst || !falls)) matchOrder(run, target, session);
  if (book.stop !== null) matchOrder(run, book.stop, session);
}

/** Matches a stop that was placed inside a candle, during the fall, against the rest of the candle. */
export function matchStop(run: Run, row: number): void {
  const { stop } = run.book;
  if (stop === null || stop.form.type === 'trailing-stop') return;
  const session = openSession(run, row);
  readBar(run, row);
  matchOrder(run, stop, session);
  updateOrders(run);
}

function readBar({ input, tick }: Run, row: number): void {
  const { open, high, low, close } = input.detail.columns;
  bar.open = Math.round((open[row] ?? 0) / tick);
  bar.high = Math.round((high[row] ?? 0) / tick);
  bar.low = Math.round((low[row] ?? 0) / tick);
  bar.close = Math.round((close[row] ?? 0) / tick);
  bar.next = row + 1 < input.end ? Math.round((open[row + 1] ?? 0) / tick) : bar.close;
}

function matchOrder(run: Run, waiting: Resting, session: Session): void {
  const { book, input } = run;
  const touch = matchBar(waiting, bar, input.path ?? 'rise-first');
  if (waiting === book.stop && waiting.triggered) endOtherLeg(book, waiting);
  if (touch.ambiguous) book.ambiguous += 1;
  const { ticks, taker } = touch;
  const rose = waiting.side === 'buy' && waiting.stopTicks > 0 && bar.open < waiting.stopTicks;
  const { interval } = input.detail;
  // The time inside the candle is unknown. A cool-down must not start before the fill, so the last moment counts.
  const filledMs = ticks === bar.open ? session.atMs : session.atMs + INTERVAL_MS[interval] - 1;
  const overruns = waiting.stopTicks > 0 && ticks === waiting.stopTicks && bar.low < waiting.limitTicks;
  if (!settleResting(book, waiting, { ...session, ticks, taker, filledMs })) return;
  if (overruns && waiting.side === 'sell' && bar.open > ticks) countOverrun(book, waiting, bar);
  afterFill(run, { side: waiting.side, ticks, afterRise: rose });
}

/**
 * A stop sold at the touch, and the price then fell below its limit. In the worst case the order does not sell on the way:
 * it waits at its limit until the price comes back, or sells at the next open. If slippage already filled it at the limit,
 * the worst case is a market sale at the low.
 */
function countOverrun(book: Book, { limitTicks }: Resting, candle: typeof bar): void {
  const fill = book.fills.at(-1)?.fill;
  if (fill === undefined) return;
  book.overrun.stops += 1;
  book.overrun.loss += overrunLoss(fill, limitTicks, { ...book, ...candle });
}

/** The loss that such a stop may hide, in quote. Prices of its candle, and the open after it, in ticks. */
export function overrunLoss(
  fill: Pick<ExchangeFill, 'price' | 'quantity'>,
  limitTicks: number,
  context: Pick<Book, 'rules' | 'terms'> & Pick<typeof bar, 'low' | 'close' | 'next'>,
): number {
  const { rules, terms, low, close, next } = context;
  const { tick } = rules.price;
  const limit = fromSteps(limitTicks, tick);
  const later = close > limitTicks ? limit : minimum(limit, marketPrice('sell', next, { ...terms, tick }));
  const worst = later < fill.price ? later : fromSteps(low, tick);
  return toNumber(multiply(subtract(fill.price, worst), fill.quantity)) * (1 - toNumber(terms.feeRate));
}

interface AfterFillInput {
  readonly side: 'buy' | 'sell';
  readonly ticks: number;
  readonly afterRise: boolean;
}

/** Reports the fill to the strategy and places its stop immediately. */
function afterFill(run: Run, { side, ticks, afterRise }: AfterFillInput): void {
  const { view, instance, book, input } = run;
  updateCapitalInUse(book);
  viewPosition(view, {
    ...{ position: book.position, levels: book.levels, rules: book.rules, terms: input.bound.shared },
    baseFeeRate: () => baseFeeRate(book.terms),
  });
  viewOrders(view, book);
  view.price = ticks;
  instance.onFill(side, view);
  updateStop(run, afterRise);
  updateOrders(run);
}

/** First feeds candles that closed in a gap before this one. */
function openSession({ view, feed, input }: Run, row: number): Session {
  const { openMs, volume } = input.detail.columns;
  const atMs = openMs[row] ?? 0;
  view.nowMs = atMs;
  if (feed.nextCloseMs <= atMs) feed.feedClosed();
  return { atMs, volume: volume[row] ?? 0 };
}
