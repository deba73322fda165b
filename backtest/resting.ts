import type { Decimal } from '#core/amount/decimal.ts';
import type { OrderForm, Side } from '#core/order/order.ts';
import { snapDown } from '#strategies/ticks.ts';
import type { EntryTag } from './fills.ts';

/* Resting orders against one candle: step 2 of the fill model in kernel.ts. */

/** An order that rests on the exchange. Prices are whole ticks; 0 when it has none. */
export interface Resting {
  /** Counts the orders of the coin. */
  readonly number: number;
  readonly side: Side;
  readonly reason: string;
  readonly form: OrderForm;
  readonly limitTicks: number;
  readonly stopTicks: number;
  readonly placedMs: number;
  readonly entry?: EntryTag;
  /** Placed inside the current candle after a rise. The low of the candle may have come before that rise. */
  afterRise: boolean;
  /** Open quantity. */
  quantity: Decimal;
  triggered: boolean;
  /** A part of it has filled. */
  touched: boolean;
  /** For a trailing stop: highest price since it was placed. */
  peakTicks: number;
}

/** The prices of one detail candle in whole ticks. One object is reused for all candles. */
export interface Bar {
  open: number;
  high: number;
  low: number;
  close: number;
}

/** The assumed path of a candle that allows two outcomes. The band of a result covers both. */
export type CandlePath = 'rise-first' | 'fall-first';

/** Match of a candle with a resting order: fill price, taker or maker, and whether the outcome is certain. */
export interface Touch {
  /** 0 when it does not fill. */
  ticks: number;
  /** It fills as taker at `ticks`. Slippage worsens the price, but never beyond the limit. */
  taker: boolean;
  /** Another path through the same candle gives another outcome. */
  ambiguous: boolean;
}

const touched: Touch = { ticks: 0, taker: false, ambiguous: false };
function touch(ticks: number, taker: boolean, ambiguous = false): Touch {
  touched.ticks = ticks;
  touched.taker = taker;
  touched.ambiguous = ambiguous;
  return touched;
}

/** Matches a candle against the order and records a trigger in it. Returns one reused object. */
export function matchBar(order: Resting, bar: Bar, path: CandlePath): Touch {
  if (order.form.type === 'trailing-stop') return trail(order, order.form.deltaBips, { bar, path });
  return order.side === 'buy' ? matchBuy(order, bar, path) : matchSell(order, bar);
}

function matchBuy(order: Resting, { open, high, low }: Bar, path: CandlePath): Touch {
  const { stopTicks, limitTicks } = order;
  if (stopTicks > 0 && !order.triggered) {
    if (high < stopTicks) return touch(0, false);
    order.triggered = true;
    if (open < stopTicks) return touch(stopTicks, true);
    if (open <= limitTicks) return touch(open, true);
  }
  // We assume the last place in the queue: the price must trade through the limit. An open below the limit is cheaper.
  if (low < limitTicks) return touch(Math.min(open, limitTicks), false);
  return low === limitTicks ? touch(path === 'fall-first' ? limitTicks : 0, false, true) : touch(0, false);
}

function matchSell(order: Resting, { open, high, low }: Bar): Touch {
  const { stopTicks, limitTicks } = order;
  if (stopTicks > 0 && !order.triggered) {
    if (low > stopTicks) return touch(0, false);
    order.triggered = true;
    if (open > stopTicks) return touch(stopTicks, true, order.afterRise);
    if (open >= limitTicks) return touch(open, true);
  }
  return high > limitTicks ? touch(limitTicks, false) : touch(0, false);
}

const BIPS = 10_000;

function trail(
  order: Resting,
  deltaBips: number,
  { bar: { open, high, low, close }, path }: { readonly bar: Bar; readonly path: CandlePath },
): Touch {
  const share = 1 - deltaBips / BIPS;
  const before = snapDown(order.peakTicks * share);
  if (open <= before) return touch(open, true);
  const early = snapDown(Math.max(order.peakTicks, open) * share);
  order.peakTicks = Math.max(order.peakTicks, high);
  const late = snapDown(order.peakTicks * share);
  if (low > late) return touch(0, true);
  // It sells on the way down from the high, or from the open when the low came first.
  if (path === 'rise-first') return touch(late, true, late !== early);
  if (low <= early) return touch(early, true, late !== early);
  return close <= late ? touch(late, true) : touch(0, true, true);
}

/** Half a tick beyond the trigger price, in quote, so that a float comparison is exact. */
export const wakeBelow = (order: Resting | null, tick: number): number => {
  if (order === null) return Number.NEGATIVE_INFINITY;
  if (order.triggered || order.form.type === 'trailing-stop') return Number.POSITIVE_INFINITY;
  const falls = order.side === 'sell' || order.stopTicks === 0;
  return falls ? ((order.side === 'sell' ? order.stopTicks : order.limitTicks) + 0.5) * tick : Number.NEGATIVE_INFINITY;
};
export const wakeAbove = (order: Resting | null, tick: number): number =>
  order !== null && order.side === 'buy' && order.stopTicks > 0
    ? (order.stopTicks - 0.5) * tick
    : Number.POSITIVE_INFINITY;
/** Half a tick above the limit of a target: it fills when the price trades through it. */
export const targetWake = (target: Resting | null, tick: number): number =>
  target === null ? Number.POSITIVE_INFINITY : (target.limitTicks + 0.5) * tick;
