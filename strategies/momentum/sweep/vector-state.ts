import { openTally, type Tally } from '#core/research/tally.ts';
import type { Fraction, VectorMoney } from './vector-money.ts';
import type { VectorMarket } from './vector-market.ts';
import type { FillRecorder } from './vector-trades.ts';

/** One parameter set as numbers. */
export interface VectorParams {
  readonly fast: number;
  readonly slow: number;
  readonly margin: number;
  readonly trail: number;
  readonly exitOnCross: boolean;
  /** Period of the reference average and its highest share; 0 is off. */
  readonly extension: number;
  readonly extensionMost: number;
  readonly cooldownMs: number;
  /** In 1e-8 quote. */
  readonly budget: number;
  /** Limit of the stop on the exchange as a share of the stop; null without protective stop. */
  readonly offset: Fraction | null;
  readonly need: number;
  readonly want: number;
}

/** State of one parameter set. */
export interface VectorRun {
  readonly params: VectorParams;
  /** First signal, next signal, and index of the next cross. */
  readonly first: number;
  next: number;
  cross: number;
  /** Set when an event needs the full kernel. */
  fellBack: boolean;
  /** Signal of the last cross up, newest signal, and newest signal at the last fill. */
  crossed: number;
  newest: number;
  acted: number;
  /** Last row whose open and range were matched. */
  matchedRow: number;
  /** Lots of the market order for the next open; below zero for a sale. */
  pending: number;
  lots: number;
  dust: number;
  cash: number;
  average: number;
  spent: number;
  fillMs: number;
  fillRow: number;
  high: number;
  stop: number;
  /** Trigger and limit of the stop on the exchange; 0 when none rests. */
  resting: number;
  restingLimit: number;
  exitSignal: boolean;
  pausedUntil: number;
  /** The stop is in place and no cross is waiting to sell, so that only prices can change the state. */
  settled: boolean;
  /** Row since which cash and quantity are unchanged. */
  since: number;
  peak: number;
  floor: number;
  depth: number;
  day: number;
  readonly days: Float64Array;
  heldRows: number;
  fills: number;
  readonly tally: Tally;
  /** Records each fill; null in a sweep, which counts them. */
  readonly recorder: FillRecorder | null;
  /** Reason of the newest sale. */
  exit: number;
  /** Closes at which the run decided, and the decisions among them. */
  decided: number;
  entries: number;
  stopExits: number;
  crossExits: number;
  overextended: number;
  paused: number;
}

/** The reasons of fills, by their index in a record. */
export const FILL_REASONS = ['entry-cross-up', 'exit-trailing-stop', 'exit-cross-down'] as const;
export const [ENTRY, STOP_EXIT, CROSS_EXIT] = [0, 1, 2];

export function openVectorRun(
  params: VectorParams,
  market: VectorMarket,
  options: { readonly money: VectorMoney; readonly recorder?: FillRecorder },
): VectorRun {
  const {
    money: { cash },
    recorder = null,
  } = options;
  const balance = cash / 1e8;
  return {
    params,
    first: Math.max(0, market.firstInside - params.want),
    next: Math.max(0, market.firstInside - params.want),
    cross: 0,
    fellBack: false,
    crossed: -1,
    newest: -1,
    acted: -1,
    matchedRow: market.start - 1,
    pending: 0,
    lots: 0,
    dust: 0,
    cash,
    average: 0,
    spent: 0,
    fillMs: 0,
    fillRow: 0,
    high: 0,
    stop: 0,
    resting: 0,
    restingLimit: 0,
    exitSignal: false,
    pausedUntil: 0,
    settled: false,
    since: market.start,
    peak: balance,
    floor: balance,
    depth: 0,
    day: 0,
    days: new Float64Array(market.dayRows.length),
    heldRows: 0,
    fills: 0,
    tally: openTally(),
    recorder,
    exit: STOP_EXIT,
    ...{ decided: 0, entries: 0, stopExits: 0, crossExits: 0, overextended: 0, paused: 0 },
  };
}
