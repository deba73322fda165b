import { snapDown } from '#strategies/ticks.ts';
import { fillBuy, fillSell, isNear, placeStop } from './vector-fills.ts';
import { type VectorMoney, lotsFor } from './vector-money.ts';
import { boundsOf, CHUNK, SHIFT } from '#core/market/extremes.ts';
import type { VectorMarket } from './vector-market.ts';
import { CROSS_EXIT, STOP_EXIT, type VectorRun } from './vector-state.ts';

/** The signals at which two averages cross, found once for all vector runs that share them. */
export interface Crosses {
  /** 2 * signal, plus 1 for a cross up; ascending, `count` entries. */
  readonly codes: Int32Array;
  /** The reference average at each cross; null when the settings use none. */
  readonly references: Float64Array | null;
  readonly count: number;
}

interface AdvanceInput {
  readonly crosses: Crosses;
  readonly money: VectorMoney;
  readonly to: number;
}

/**
 * Advances a vector run to signal `to`. It does what the kernel does with momentum, but visits only rows on which something
 * can happen. While flat that is a cross up. While held it is a price beyond the stop, the high or the stop on the exchange.
 */
export function advance(run: VectorRun, market: VectorMarket, { crosses, money, to }: AdvanceInput): void {
  const step: SignalStep = {
    ...{ k: 0, row: 0, up: false, down: false },
    reference: undefined,
    price: 0,
    open: 0,
    limit: 0,
    money,
  };
  const held: HeldRange = { k: 0, to: 0, money };
  const { codes, references, count } = crosses;
  const readyFrom = run.first + run.params.slow;
  const signals = market.signalCloseTicks.length;
  let at = run.cross;
  let k = run.next;
  for (; k < to && !run.fellBack; k++) {
    if (run.lots === 0 && run.pending === 0) {
      const from = 2 * Math.max(k, readyFrom);
      while (at < count && ((codes[at] ?? 0) < from || ((codes[at] ?? 0) & 1) === 0)) at += 1;
      k = at < count ? (codes[at] ?? 0) >> 1 : signals;
    } else if (run.pending === 0 && run.settled) {
      let down = at;
      while (down < count && ((codes[down] ?? 0) < 2 * k || ((codes[down] ?? 0) & 1) === 1)) down += 1;
      held.k = k;
      held.to = down < count && run.params.exitOnCross ? (codes[down] ?? 0) >> 1 : signals;
      k = nextMove(run, market, held);
    }
    if (k >= signals) break;
    while (at < count && (codes[at] ?? 0) < 2 * k) at += 1;
    const code = at < count ? (codes[at] ?? 0) : -1;
    step.k = k;
    step.up = code === 2 * k + 1;
    step.down = code === 2 * k;
    step.reference = references?.[at];
    processSignal(run, market, step);
    // When signals are rows, the next event is the open of the next row.
    if (run.pending === 0 || !market.aligned || step.row + 1 >= market.end) continue;
    step.row += 1;
    matchRow(run, market, step);
  }
  run.next = k;
  run.cross = at;
}

/** Signals from `k` to the cross down at `to`, exclusive. One object is reused. */
interface HeldRange {
  k: number;
  to: number;
  readonly money: VectorMoney;
}

/** The first signal from `k` on at which something can happen to a position whose stop is in place. */
function nextMove(run: VectorRun, market: VectorMarket, held: HeldRange): number {
  if (run.params.exitOnCross && run.exitSignal) return held.k;
  if (lastsUntil(run, market, held)) return held.to;
  const k = market.aligned ? nextRow(run, market, held) : nextSignal(run, market, held);
  run.matchedRow = Math.max(run.matchedRow, (market.deliveryRow[k] ?? market.end) - 1);
  return k;
}

/** Ticks by which the limit of a stop must clear the band of the exchange: it is rounded down twice. */
const ROUNDED = 2;

/** True when no low reaches the highest possible stop before the cross that sells. High and stop end there. */
function lastsUntil(run: VectorRun, market: VectorMarket, { k, to, money: { askDown } }: HeldRange): boolean {
  const { deliveryRow, end, signals, lows } = market;
  const row = deliveryRow[to] ?? end;
  if (row < end && deliveryRow[to + 1] === row) return false;
  const { trail, offset } = run.params;
  const high = Math.max(run.high, boundsOf(signals, k, to).most);
  const stop = Math.max(run.stop, snapDown(high * trail));
  const first = Math.min(run.matchedRow + 1, deliveryRow[k] ?? end);
  if (boundsOf(lows, first, Math.min(row + 1, end)).least <= stop) return false;
  return offset === null || run.high * ((trail * offset.n) / offset.d - askDown) >= ROUNDED;
}

/** Row by row, when signals are rows. A new high that does not move the stop on the exchange does not end the scan. */
function nextRow(run: VectorRun, { lowTicks, closeTicks, signals, lows }: VectorMarket, { k, to }: HeldRange): number {
  const { resting, params } = run;
  let { high, stop } = run;
  let at = k;
  while (at < to) {
    const chunk = at >> SHIFT;
    if (
      (at & (CHUNK - 1)) === 0 &&
      at + CHUNK <= to &&
      (lows.least[chunk] ?? 0) > stop &&
      (signals.most[chunk] ?? 0) <= high
    ) {
      at += CHUNK;
      continue;
    }
    const close = closeTicks[at] ?? 0;
    if (close <= stop || (lowTicks[at] ?? 0) <= resting) break;
    at += 1;
    if (close <= high) continue;
    const raised = snapDown(close * params.trail);
    if (raised > stop && !isNear(run, raised)) {
      at -= 1;
      break;
    }
    high = close;
    if (raised > stop) stop = raised;
  }
  run.high = high;
  run.stop = stop;
  return at;
}

/** Signal by signal, when each spans several rows. It ends when a row reaches the stop or the signal moves it. */
function nextSignal(
  run: VectorRun,
  { deliveryRow, end, lows, signalCloseTicks }: VectorMarket,
  { k, to }: HeldRange,
): number {
  for (let at = k; at < to; at++) {
    const row = deliveryRow[at] ?? end;
    const next = deliveryRow[at + 1] ?? end;
    const close = signalCloseTicks[at] ?? 0;
    const raised = close > run.high ? Math.max(run.stop, snapDown(close * run.params.trail)) : run.stop;
    if (next <= row || !isNear(run, raised)) return at;
    if (boundsOf(lows, row, next).least <= raised) return at;
    run.high = Math.max(run.high, close);
    run.stop = raised;
  }
  return to;
}

/** Nothing can happen to a held position on this row: no fill, no decision, no move of the stop. */
const isQuiet = ({ pending, lots, resting, stop, settled }: VectorRun, market: VectorMarket, row: number): boolean =>
  pending === 0 && lots > 0 && (market.lowTicks[row] ?? 0) > resting && (market.closeTicks[row] ?? 0) > stop && settled;

/** The current signal. One object is reused for a block. */
interface SignalStep {
  k: number;
  row: number;
  up: boolean;
  down: boolean;
  /** The reference average; undefined when the settings use none. */
  reference: number | undefined;
  /** Fill price on the row, and open of the row. */
  price: number;
  open: number;
  /** Limit of a stop that sells inside the row, or 0. */
  limit: number;
  readonly money: VectorMoney;
}

/** One signal candle and the detail candles until the next. A candle that closed in a gap comes before the orders. */
function processSignal(run: VectorRun, market: VectorMarket, step: SignalStep): void {
  const { k } = step;
  const row = market.deliveryRow[k] ?? market.end;
  if (row >= market.end) return;
  run.newest = k - 1;
  step.row = row;
  const inGap = (market.signalOpenMs[k] ?? 0) + market.signalMs <= (market.openMs[row] ?? 0);
  if (!inGap && run.matchedRow < row) matchRow(run, market, step);
  deliverSignal(run, market, step);
  const next = market.deliveryRow[k + 1] ?? market.end;
  if (next === row) return;
  if (run.matchedRow < row) matchRow(run, market, step);
  decide(run, market, step);
  for (let later = row + 1; later < next && !run.fellBack; later++) {
    const idle = run.lots === 0 && run.pending === 0;
    if (idle && (run.crossed !== k || run.acted === k)) return;
    if (isQuiet(run, market, later)) {
      const whole = (later & (CHUNK - 1)) === 0 && later + CHUNK <= next;
      if (whole && (market.lows.least[later >> SHIFT] ?? 0) > run.stop) later += CHUNK - 1;
      continue;
    }
    step.row = later;
    matchRow(run, market, step);
    decide(run, market, step);
  }
}

function deliverSignal(run: VectorRun, market: VectorMarket, { k, up, down }: SignalStep): void {
  run.newest = k;
  if (up) run.crossed = k;
  if (run.lots === 0 || (market.signalOpenMs[k] ?? 0) + market.signalMs <= run.fillMs) return;
  if (down) run.exitSignal = true;
  else if (up) run.exitSignal = false;
  const close = market.signalCloseTicks[k] ?? 0;
  if (close <= run.high) return;
  run.high = close;
  run.stop = Math.max(run.stop, snapDown(close * run.params.trail));
}

/** Matches orders against a candle: a market order at its open, the stop on the exchange against its range. */
function matchRow(run: VectorRun, market: VectorMarket, step: SignalStep): void {
  const { row, money } = step;
  run.matchedRow = row;
  const open = market.openTicks[row] ?? 0;
  const { n, d } = money.against;
  step.open = open;
  step.limit = 0;
  if (run.pending > 0) {
    step.price = Math.ceil((open * (d + n)) / d);
    fillBuy(run, market, step);
  } else if (run.pending < 0) {
    step.price = Math.floor((open * (d - n)) / d);
    fillSell(run, market, step);
  }
  if (run.resting === 0 || (market.lowTicks[row] ?? 0) > run.resting) return;
  // Below its limit the stop keeps resting. Only the full kernel handles that.
  if (open < run.restingLimit) run.fellBack = true;
  const touched = Math.min(open, run.resting);
  step.price = Math.max(Math.floor((touched * (d - n)) / d), run.restingLimit);
  if (touched < open) step.limit = run.restingLimit;
  run.exit = STOP_EXIT;
  fillSell(run, market, step);
  // After a fill inside the candle, the cool-down starts at its last moment.
  if (touched < open && run.pausedUntil > 0) run.pausedUntil += market.lengthMs - 1;
}

function decide(run: VectorRun, market: VectorMarket, step: SignalStep): void {
  const price = market.closeTicks[step.row] ?? 0;
  run.decided += 1;
  if (run.lots > 0) decideExit(run, price, step.money);
  else if (run.pending === 0 && run.crossed === step.k && run.acted !== step.k) decideEntry(run, market, step);
}

function decideExit(run: VectorRun, price: number, money: VectorMoney): void {
  const { worth, least, mostLots } = money;
  const stopped = price <= run.stop;
  if (!stopped && !(run.params.exitOnCross && run.exitSignal)) {
    placeStop(run, price, money);
    run.settled = run.params.offset === null || run.resting > 0;
    return;
  }
  if (run.lots > mostLots || run.lots * price * worth.n < least.quote * worth.d) {
    run.fellBack = true;
    return;
  }
  run.pending = -run.lots;
  run.resting = 0;
  run.exit = stopped ? STOP_EXIT : CROSS_EXIT;
  if (stopped) run.stopExits += 1;
  else run.crossExits += 1;
}

function decideEntry(run: VectorRun, market: VectorMarket, { row, k, reference, money }: SignalStep): void {
  const { params } = run;
  const price = market.closeTicks[row] ?? 0;
  const nowMs = (market.openMs[row] ?? 0) + market.lengthMs;
  if (nowMs >= (market.signalOpenMs[k] ?? 0) + 2 * market.signalMs || k - run.first + 1 < params.need) return;
  if (reference !== undefined && price > snapDown((reference * params.extensionMost) / market.tick)) {
    run.overextended += 1;
    return;
  }
  if (nowMs < run.pausedUntil) {
    run.paused += 1;
    return;
  }
  const budget = Math.min(params.budget, run.cash);
  const lots = lotsFor(budget, price, money);
  // Only orders that no size rule could refuse. The full kernel checks the others.
  const stopShare = params.trail * (params.offset === null ? OFFSET_MARGIN : params.offset.n / params.offset.d);
  const enough = (money.least.quote * ROOMY) / stopShare;
  const value = lots === undefined ? 0 : (lots * price * money.worth.n) / money.worth.d;
  const sound = lots !== undefined && lots >= money.least.lots + 2 && lots <= money.mostLots;
  if (!sound || value < enough || budget < enough) run.fellBack = true;
  else {
    run.pending = lots;
    run.entries += 1;
  }
}

/** The offset of a stop is at least a half. */
const OFFSET_MARGIN = 0.5;

/** Head room over the minimum order value: the exit margin, fees, and a step of the lot. */
const ROOMY = 1.2;
