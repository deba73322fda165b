import { type CandleColumns, INTERVAL_MS, MOST_CLOSED } from '#core/market/candle.ts';
import { lowerBound, sliceColumns } from '#core/market/candle-columns.ts';
import { randomFrom } from '#core/research/random.ts';
import type { BoundStrategy } from '#strategies/strategy.ts';
import type { Series } from './columns.ts';
import { runKernel } from './kernel.ts';
import type { KernelInput } from './run-state.ts';

/** A decision that changed once the later candles were hidden. */
export interface Foresight {
  readonly at: string;
  readonly decided: string;
  readonly withoutFuture: string;
}

interface LookAhead {
  /** The first decision that depends on the future; null when no compared decision does. */
  readonly found: Foresight | null;
  /** Decisions that were compared with all later candles hidden. */
  readonly compared: number;
}

/** Creates the strategy for the candles that it may see. */
type BindTo = (known: Pick<KernelInput, 'detail' | 'signal'>) => BoundStrategy;

/** Cuts of the whole run, for decisions that depend on a long past. */
const WHOLE_CUTS = 24;
/** Sampled decisions for each kind of candle, and how many of them are consecutive. */
const SAMPLE = 4096;
const WINDOW = 256;
/** Cuts that share one start, and the candles before the first cut that open positions. */
const GROUP = 32;
const LEAD = 224;
/** Rows of one run of a group, where a decision candle spans many rows. */
const MOST_ROWS = 2000;

/**
 * Repeats the run with the future cut off and compares every decision before the cut. Sampled windows cover every candle
 * and every close of the strategy's own candles; more cuts cover the whole run. Short runs are compared completely. Each
 * decision has its own cut, because only that reveals a look at the next candle.
 */
export function checkLookAhead(kernel: KernelInput, bindTo: BindTo = () => kernel.bound): LookAhead {
  let compared = 0;
  for (const { start, cuts } of groupsOf(kernel)) {
    const part = { ...kernel, start, end: cuts.at(-1) ?? start };
    const decided = decide(part, bindTo);
    for (const cut of cuts) {
      compared += 1;
      const found = firstDifference(part, decided, decide(hideFuture(part, cut), bindTo));
      if (found !== null) return { found, compared };
    }
  }
  return { found: null, compared };
}

interface Group {
  readonly start: number;
  /** Rows at which the future starts, ascending. */
  readonly cuts: readonly number[];
}

function* groupsOf(kernel: KernelInput): Generator<Group> {
  const { start, end, detail, signal } = kernel;
  const random = randomFrom(1);
  const rows = Array.from({ length: end - start }, (_, i) => start + 1 + i);
  yield* sampled(rows, { random, first: start, group: GROUP, lead: LEAD });
  const span = INTERVAL_MS[signal.interval] / INTERVAL_MS[detail.interval];
  if (span > 1) {
    const group = Math.min(GROUP, Math.max(1, Math.floor(MOST_ROWS / span)));
    yield* sampled(signalCuts(kernel), { random, first: start, group, lead: Math.max(span, MOST_ROWS) });
  }
  const most = end - start - 1;
  if (most < 1) return;
  const cuts = Array.from({ length: WHOLE_CUTS }, () => start + 1 + Math.floor(random() * most));
  yield { start, cuts: [...cuts.toSorted((a, b) => a - b), end] };
}

/** Rows at whose open a candle of the strategy has just closed. */
function signalCuts({ start, end, detail, signal }: KernelInput): number[] {
  const { openMs } = detail.columns;
  const [signalMs, detailMs] = [INTERVAL_MS[signal.interval], INTERVAL_MS[detail.interval]];
  const cuts: number[] = [];
  for (let row = start; row < end; row++) if (((openMs[row] ?? 0) + detailMs) % signalMs === 0) cuts.push(row + 1);
  return cuts;
}

interface Sampling {
  readonly random: () => number;
  readonly first: number;
  /** Cuts of one group, and rows before the first of them. */
  readonly group: number;
  readonly lead: number;
}

/** Groups of all cuts, or of the cuts in one random window for each equal part of the run. */
function* sampled(cuts: readonly number[], { random, first, group, lead }: Sampling): Generator<Group> {
  const windows = cuts.length <= SAMPLE ? 1 : SAMPLE / WINDOW;
  const part = cuts.length / windows;
  const length = windows === 1 ? cuts.length : WINDOW;
  for (let window = 0; window < windows; window++) {
    const from = Math.floor(window * part + random() * (part - length));
    for (let at = from; at < from + length; at += group) {
      const own = cuts.slice(at, Math.min(at + group, from + length));
      yield { start: Math.max(first, (own[0] ?? first) - 1 - lead), cuts: own };
    }
  }
}

function decide(input: KernelInput, bindTo: BindTo): string[] {
  const { decisions, reasons } = runKernel({ ...input, bound: bindTo(input), recordDecisions: true });
  return Array.from(decisions ?? [], (code) => reasons[code] ?? '');
}

function firstDifference(
  { detail, start }: KernelInput,
  decided: readonly string[],
  withoutFuture: readonly string[],
): Foresight | null {
  const row = withoutFuture.findIndex((reason, i) => reason !== decided[i]);
  if (row < 0) return null;
  const closeMs = (detail.columns.openMs[start + row] ?? 0) + INTERVAL_MS[detail.interval];
  return {
    at: new Date(closeMs).toISOString(),
    decided: decided[row] ?? '',
    withoutFuture: withoutFuture[row] ?? '',
  };
}

/** Copies, so that the strategy cannot reach the hidden rows of the buffer. */
function copyOf(columns: CandleColumns, from: number, to: number): CandleColumns {
  const { openMs, open, high, low, close, volume } = sliceColumns(columns, from, to);
  return {
    openMs: openMs.slice(),
    open: open.slice(),
    high: high.slice(),
    low: low.slice(),
    close: close.slice(),
    volume: volume.slice(),
  };
}

/** Candles known when row `end` opens, with the longest warm-up of any strategy before the run. */
function hideFuture(kernel: KernelInput, end: number): KernelInput {
  const { detail, signal, gateSeries, start } = kernel;
  const { openMs } = detail.columns;
  const startMs = openMs[start] ?? 0;
  const nowMs = (openMs[end - 1] ?? 0) + INTERVAL_MS[detail.interval];
  const closed = ({ interval, columns }: Series): Series => {
    const from = Math.max(0, lowerBound(columns.openMs, startMs) - MOST_CLOSED - 1);
    return { interval, columns: copyOf(columns, from, lowerBound(columns.openMs, nowMs - INTERVAL_MS[interval] + 1)) };
  };
  return {
    ...kernel,
    start: 0,
    end: end - start,
    detail: { interval: detail.interval, columns: copyOf(detail.columns, start, end) },
    signal: closed(signal),
    ...(gateSeries === undefined ? {} : { gateSeries: gateSeries.map(closed) }),
  };
}
