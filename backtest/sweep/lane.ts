import { snapDown } from '#strategies/ticks.ts';
import { fillBuy, fillSell, isNear, placeStop } from './lane-fills.ts';
import { type LaneMoney, lotsFor } from './lane-money.ts';
import { boundsOf, CHUNK, SHIFT } from '#backtest/extremes.ts';
import type { LaneMarket } from './lane-market.ts';
import type { Lane } from './lane-state.ts';

/** The signals at which two averages cross, found once for all lanes that share them. */
export interface Crosses {
  /** Twice the signal, and one more where the fast average rises; in order, `count` of them. */
  readonly codes: Int32Array;
  /** The reference average at each of them, where one is asked for. */
  readonly references: Float64Array | null;
  readonly count: number;
}

interface Road {
  readonly crosses: Crosses;
  readonly money: LaneMoney;
  readonly to: number;
}

/**
 * Takes a lane to signal `to`: what the kernel does with momentum, but only where something can happen. While flat that
 * is a cross up; while held a price beyond what the stop, its high or the stop on the exchange allow.
 */
export function advance(lane: Lane, market: LaneMarket, { crosses, money, to }: Road): void {
  const step: Step = { k: 0, row: 0, up: false, down: false, reference: undefined, price: 0, open: 0, money };
  const held: Held = { k: 0, to: 0, money };
  const { codes, references, count } = crosses;
  const readyFrom = lane.first + lane.knobs.slow;
  const signals = market.signalCloseTicks.length;
  let at = lane.cross;
  let k = lane.next;
  for (; k < to && !lane.bailed; k++) {
    if (lane.lots === 0 && lane.pending === 0) {
      const from = 2 * Math.max(k, readyFrom);
      while (at < count && ((codes[at] ?? 0) < from || ((codes[at] ?? 0) & 1) === 0)) at += 1;
      k = at < count ? (codes[at] ?? 0) >> 1 : signals;
    } else if (lane.pending === 0 && lane.settled) {
      let down = at;
      while (down < count && ((codes[down] ?? 0) < 2 * k || ((codes[down] ?? 0) & 1) === 1)) down += 1;
      held.k = k;
      held.to = down < count && lane.knobs.exitOnCross ? (codes[down] ?? 0) >> 1 : signals;
      k = nextMove(lane, market, held);
    }
    if (k >= signals) break;
    while (at < count && (codes[at] ?? 0) < 2 * k) at += 1;
    const code = at < count ? (codes[at] ?? 0) : -1;
    step.k = k;
    step.up = code === 2 * k + 1;
    step.down = code === 2 * k;
    step.reference = references?.[at];
    meetSignal(lane, market, step);
    // Where signals are rows, the next thing that happens is the open of the next one.
    if (lane.pending === 0 || !market.aligned || step.row + 1 >= market.end) continue;
    step.row += 1;
    meetRow(lane, market, step);
  }
  lane.next = k;
  lane.cross = at;
}

/** Signals from `k` on, before the one at which the averages cross down; one object is reused. */
interface Held {
  k: number;
  to: number;
  readonly money: LaneMoney;
}

/** The first signal from `k` on at which something can happen to a position whose stop rests where it belongs. */
function nextMove(lane: Lane, market: LaneMarket, held: Held): number {
  if (lane.knobs.exitOnCross && lane.exitSignal) return held.k;
  if (lastsUntil(lane, market, held)) return held.to;
  const k = market.aligned ? nextRow(lane, market, held) : nextSignal(lane, market, held);
  lane.met = Math.max(lane.met, (market.give[k] ?? market.end) - 1);
  return k;
}

/** Ticks by which the limit of a stop must clear the band of the exchange: it is rounded down twice. */
const ROUNDED = 2;

/** True when even the highest stop that the signals could bring is out of reach until the cross that sells: high and stop end there. */
function lastsUntil(lane: Lane, market: LaneMarket, { k, to, money: { askDown } }: Held): boolean {
  const { give, end, signals, lows } = market;
  const row = give[to] ?? end;
  if (row < end && give[to + 1] === row) return false;
  const { trail, offset } = lane.knobs;
  const high = Math.max(lane.high, boundsOf(signals, k, to).most);
  const stop = Math.max(lane.stop, snapDown(high * trail));
  const first = Math.min(lane.met + 1, give[k] ?? end);
  if (boundsOf(lows, first, Math.min(row + 1, end)).least <= stop) return false;
  return offset === null || lane.high * ((trail * offset.n) / offset.d - askDown) >= ROUNDED;
}

/** Row by row where signals are rows; a new high that moves nothing but the level of the stop is taken along. */
function nextRow(lane: Lane, { lowTicks, closeTicks, signals, lows }: LaneMarket, { k, to }: Held): number {
  const { resting, knobs } = lane;
  let { high, stop } = lane;
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
    const raised = snapDown(close * knobs.trail);
    if (raised > stop && !isNear(lane, raised)) {
      at -= 1;
      break;
    }
    high = close;
    if (raised > stop) stop = raised;
  }
  lane.high = high;
  lane.stop = stop;
  return at;
}

/** Signal by signal where each spans several rows: none of them may reach the stop, nor the signal move it on the exchange. */
function nextSignal(lane: Lane, { give, end, lows, signalCloseTicks }: LaneMarket, { k, to }: Held): number {
  for (let at = k; at < to; at++) {
    const row = give[at] ?? end;
    const next = give[at + 1] ?? end;
    const close = signalCloseTicks[at] ?? 0;
    const raised = close > lane.high ? Math.max(lane.stop, snapDown(close * lane.knobs.trail)) : lane.stop;
    if (next <= row || !isNear(lane, raised)) return at;
    if (boundsOf(lows, row, next).least <= raised) return at;
    lane.high = Math.max(lane.high, close);
    lane.stop = raised;
  }
  return to;
}

/** Nothing can happen to a held position on this row: no order is met, nothing is decided, the stop stays where it is. */
const isQuiet = ({ pending, lots, resting, stop, settled }: Lane, market: LaneMarket, row: number): boolean =>
  pending === 0 && lots > 0 && (market.lowTicks[row] ?? 0) > resting && (market.closeTicks[row] ?? 0) > stop && settled;

/** The signal at hand; one object is reused for a block. */
interface Step {
  k: number;
  row: number;
  up: boolean;
  down: boolean;
  /** The reference average, where one is asked for. */
  reference: number | undefined;
  /** Of the order that is filled on the row, and where the row opened. */
  price: number;
  open: number;
  readonly money: LaneMoney;
}

/** One signal candle and the detail candles until the next. A candle that closed in a gap is seen before orders are met. */
function meetSignal(lane: Lane, market: LaneMarket, step: Step): void {
  const { k } = step;
  const row = market.give[k] ?? market.end;
  if (row >= market.end) return;
  lane.newest = k - 1;
  step.row = row;
  const inGap = (market.signalOpenMs[k] ?? 0) + market.signalMs <= (market.openMs[row] ?? 0);
  if (!inGap && lane.met < row) meetRow(lane, market, step);
  giveSignal(lane, market, step);
  const next = market.give[k + 1] ?? market.end;
  if (next === row) return;
  if (lane.met < row) meetRow(lane, market, step);
  decide(lane, market, step);
  for (let later = row + 1; later < next && !lane.bailed; later++) {
    const idle = lane.lots === 0 && lane.pending === 0;
    if (idle && (lane.crossed !== k || lane.acted === k)) return;
    if (isQuiet(lane, market, later)) {
      const whole = (later & (CHUNK - 1)) === 0 && later + CHUNK <= next;
      if (whole && (market.lows.least[later >> SHIFT] ?? 0) > lane.stop) later += CHUNK - 1;
      continue;
    }
    step.row = later;
    meetRow(lane, market, step);
    decide(lane, market, step);
  }
}

function giveSignal(lane: Lane, market: LaneMarket, { k, up, down }: Step): void {
  lane.newest = k;
  if (up) lane.crossed = k;
  if (lane.lots === 0 || (market.signalOpenMs[k] ?? 0) + market.signalMs <= lane.fillMs) return;
  if (down) lane.exitSignal = true;
  else if (up) lane.exitSignal = false;
  const close = market.signalCloseTicks[k] ?? 0;
  if (close <= lane.high) return;
  lane.high = close;
  lane.stop = Math.max(lane.stop, snapDown(close * lane.knobs.trail));
}

/** What waits meets a candle: a market order its open, the stop on the exchange its range. */
function meetRow(lane: Lane, market: LaneMarket, step: Step): void {
  const { row, money } = step;
  lane.met = row;
  const open = market.openTicks[row] ?? 0;
  const { n, d } = money.against;
  step.open = open;
  if (lane.pending > 0) {
    step.price = Math.ceil((open * (d + n)) / d);
    fillBuy(lane, market, step);
  } else if (lane.pending < 0) {
    step.price = Math.floor((open * (d - n)) / d);
    fillSell(lane, market, step);
  }
  if (lane.resting === 0 || (market.lowTicks[row] ?? 0) > lane.resting) return;
  // Below its limit the stop would go on waiting, which is for the full kernel to follow.
  if (open < lane.restingLimit) lane.bailed = true;
  const touched = Math.min(open, lane.resting);
  step.price = Math.max(Math.floor((touched * (d - n)) / d), lane.restingLimit);
  fillSell(lane, market, step);
  // Inside the candle the pause begins with its last moment.
  if (touched < open && lane.pausedUntil > 0) lane.pausedUntil += market.lengthMs - 1;
}

function decide(lane: Lane, market: LaneMarket, step: Step): void {
  const price = market.closeTicks[step.row] ?? 0;
  if (lane.lots > 0) decideExit(lane, price, step.money);
  else if (lane.pending === 0 && lane.crossed === step.k && lane.acted !== step.k) decideEntry(lane, market, step);
}

function decideExit(lane: Lane, price: number, money: LaneMoney): void {
  const { worth, least, mostLots } = money;
  const wanted = price <= lane.stop || (lane.knobs.exitOnCross && lane.exitSignal);
  if (!wanted) {
    placeStop(lane, price, money);
    lane.settled = lane.knobs.offset === null || lane.resting > 0;
    return;
  }
  if (lane.lots > mostLots || lane.lots * price * worth.n < least.quote * worth.d) {
    lane.bailed = true;
    return;
  }
  lane.pending = -lane.lots;
  lane.resting = 0;
}

function decideEntry(lane: Lane, market: LaneMarket, { row, k, reference, money }: Step): void {
  const { knobs } = lane;
  const price = market.closeTicks[row] ?? 0;
  const nowMs = (market.openMs[row] ?? 0) + market.lengthMs;
  if (nowMs >= (market.signalOpenMs[k] ?? 0) + 2 * market.signalMs || k - lane.first + 1 < knobs.need) return;
  if (reference !== undefined && price > snapDown((reference * knobs.extensionMost) / market.tick)) return;
  if (nowMs < lane.pausedUntil) return;
  const budget = Math.min(knobs.budget, lane.cash);
  const lots = lotsFor(budget, price, money);
  // Only orders that no rule of size could refuse: the others are for the full kernel to judge.
  const stopShare = knobs.trail * (knobs.offset === null ? OFFSET_MARGIN : knobs.offset.n / knobs.offset.d);
  const enough = (money.least.quote * ROOMY) / stopShare;
  const value = lots === undefined ? 0 : (lots * price * money.worth.n) / money.worth.d;
  const sound = lots !== undefined && lots >= money.least.lots + 2 && lots <= money.mostLots;
  if (!sound || value < enough || budget < enough) lane.bailed = true;
  else lane.pending = lots;
}

/** Any offset of a stop is at least a half. */
const OFFSET_MARGIN = 0.5;

/** Head room over the minimum order value: the exit margin, fees, and a step of the lot. */
const ROOMY = 1.2;
