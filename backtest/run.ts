import { INTERVAL_MS } from '#core/candle.ts';
import { lowerBound } from '#core/candle-columns.ts';
import { gateNeeds } from '#core/gates.ts';
import { formatDecimal, multiply, requireDecimal, toNumber } from '#core/decimal.ts';
import type { SymbolRules } from '#core/symbol.ts';
import type { BoundStrategy } from '#strategies/strategy.ts';
import { coinDays } from './benchmarks.ts';
import type { BookedFill, Cycle, Rejection } from './book.ts';
import { aggregateSeries, countInside, coverageOf, type Series } from './columns.ts';
import { FILL_RULES, type Terms } from './fills.ts';
import { fingerprintOf } from './fingerprint.ts';
import { type KernelInput, type KernelRun, runKernel } from './kernel.ts';
import { measure } from './metrics.ts';
import { holdout, regimes } from './splits.ts';
import type { BacktestResult, CycleRecord, FillRecord, RejectionRecord } from './result.ts';

export interface BacktestInput {
  readonly bound: BoundStrategy;
  readonly rules: SymbolRules;
  readonly terms: Terms;
  /** Candles at the strategy's interval, or finer ones that add up to it. */
  readonly candles: Series;
  /** Finer candles that decide and fill; without them `candles` do. */
  readonly detail?: Series;
  /** The window: candles that open at or after `fromMs` and close by `toMs`; by default all there are. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

export type BacktestOutcome =
  | { readonly kind: 'result'; readonly result: BacktestResult }
  | { readonly kind: 'refused'; readonly sentence: string };

const BPS = requireDecimal('10000');
const iso = (ms: number): string => new Date(ms).toISOString();
const refuse = (sentence: string): Refused => ({ kind: 'refused', sentence });

type Refused = Extract<BacktestOutcome, { kind: 'refused' }>;

/** What the kernel runs on; refuses what cannot be run honestly. */
export function openKernel(input: BacktestInput): { readonly kind: 'kernel'; readonly kernel: KernelInput } | Refused {
  const { bound, rules, terms, candles } = input;
  const detail = input.detail ?? candles;
  if (bound.planner !== undefined)
    return refuse(
      `${bound.name} plans over all coins of a profile at once; a backtest of one coin says nothing about it.`,
    );
  const needed = bound.needs.interval;
  const neededMs = INTERVAL_MS[needed];
  for (const { interval } of [candles, detail]) {
    if (neededMs % INTERVAL_MS[interval] !== 0)
      return refuse(`The strategy decides on ${needed} candles, to which ${interval} candles do not add up.`);
  }
  const { openMs } = detail.columns;
  const lengthMs = INTERVAL_MS[detail.interval];
  const start = input.fromMs === undefined ? 0 : lowerBound(openMs, input.fromMs);
  const end = input.toMs === undefined ? openMs.length : lowerBound(openMs, input.toMs - lengthMs + 1);
  if (end <= start) {
    const [first, last] = [openMs[0], openMs.at(-1)];
    if (first === undefined || last === undefined) return refuse('There are no candles.');
    return refuse(`There are no candles in the window: they go from ${iso(first)} to ${iso(last + lengthMs)}.`);
  }
  const signal = aggregateSeries(candles, needed);
  const [startMs, endMs] = [openMs[start] ?? 0, (openMs[end - 1] ?? 0) + lengthMs];
  const { have, whole } = countInside(signal, startMs, endMs);
  if (have === 0 && whole > 0)
    return refuse(
      `No ${needed} candle lies between ${iso(startMs)} and ${iso(endMs)}: the strategy would see nothing.`,
    );
  const gateSeries: Series[] = [];
  for (const { interval } of bound.shared.gates === undefined ? [] : gateNeeds(bound.shared.gates)) {
    const source = [candles, detail].find((each) => INTERVAL_MS[interval] % INTERVAL_MS[each.interval] === 0);
    if (source === undefined)
      return refuse(`A trend or rating needs ${interval} candles, to which ${candles.interval} candles do not add up.`);
    gateSeries.push(aggregateSeries(source, interval));
  }
  return { kind: 'kernel', kernel: { bound, rules, terms, signal, detail, start, end, gateSeries } };
}

/** Runs one strategy on one coin and reports everything about it; refuses what cannot be run honestly. */
export function runBacktest(input: BacktestInput): BacktestOutcome {
  const opened = openKernel(input);
  if (opened.kind === 'refused') return opened;
  const { kernel } = opened;
  const asked = { fromMs: input.fromMs, toMs: input.toMs };
  const run = runKernel(kernel);
  return { kind: 'result', result: report(kernel, run, { ...asked, ambiguity: bandOf(kernel, run) }) };
}

/** The window as it was asked for. */
interface Asked {
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
  readonly ambiguity: BacktestResult['ambiguity'];
}

/** A run without a doubtful candle is its own best and worst; else the other path through those candles is run too. */
function bandOf(kernel: KernelInput, { book, meter }: KernelRun): BacktestResult['ambiguity'] {
  const base = meter.last;
  const other = book.ambiguous === 0 ? base : runKernel({ ...kernel, path: 'fall-first' }).meter.last;
  return { candles: book.ambiguous, worst: Math.min(base, other), base, best: Math.max(base, other) };
}

function report(input: KernelInput, run: KernelRun, asked: Asked): BacktestResult {
  const { bound, rules, terms, signal, detail, start, end } = input;
  const { book, meter } = run;
  const at = (column: Float64Array, row: number): number => column[row] ?? 0;
  const startMs = at(detail.columns.openMs, start);
  const endMs = at(detail.columns.openMs, end - 1) + INTERVAL_MS[detail.interval];
  const coverage = {
    ...coverageOf(detail, start, end),
    offGrid: run.offGrid,
    warmUp: run.warmUp,
    warmUpWanted: bound.needs.want,
  };
  const dailyEquity = [...meter.days, meter.last];
  const coin = coinDays(detail, start, end);
  const split = { balance: toNumber(terms.balance), days: dailyEquity, coin, cycles: book.cycles };
  const metrics = measure({
    ...split,
    finalEquity: meter.last,
    windowMs: endMs - startMs,
    drawdown: meter.drawdown.depth,
    feeRate: toNumber(terms.feeRate),
    slippage: toNumber(terms.slippage),
    fills: book.fills,
    candles: end - start,
    heldCandles: run.heldCandles,
  });
  const { depth, peakMs, troughMs, recoveredMs } = meter.drawdown;
  const body = {
    metrics,
    drawdown: {
      depth,
      peakAt: iso(peakMs),
      troughAt: iso(troughMs),
      recoveredAt: recoveredMs === null ? null : iso(recoveredMs),
    },
    holdout: holdout(split),
    regimes: regimes(split),
    decisions: histogram(run),
    dailyEquity,
    fills: book.fills.map(fillRecord),
    cycles: book.cycles.map(cycleRecord),
    rejections: book.rejections.map(rejectionRecord),
  };
  return {
    v: 1,
    strategy: bound.name,
    symbol: rules.symbol,
    quoteAsset: rules.quoteAsset,
    interval: signal.interval,
    detailInterval: detail.interval,
    from: iso(startMs),
    to: iso(endMs),
    balance: formatDecimal(terms.balance),
    feeBps: toNumber(multiply(terms.feeRate, BPS)),
    slippageBps: toNumber(multiply(terms.slippage, BPS)),
    fillRules: FILL_RULES,
    coverage,
    warnings: [
      ...edgeWarnings({ startMs, endMs, asked }),
      ...signalWarnings(input, startMs, endMs),
      ...warningsOf(coverage),
    ],
    passedCandles: run.passed,
    openPosition: openPositionOf(run),
    ambiguity: asked.ambiguity,
    ...body,
    fingerprint: fingerprintOf(body),
  };
}

/** A window that the candles do not reach to both ends says so. */
function edgeWarnings({
  startMs,
  endMs,
  asked,
}: {
  startMs: number;
  endMs: number;
  asked: Pick<Asked, 'fromMs' | 'toMs'>;
}): string[] {
  const warnings: string[] = [];
  if (asked.fromMs !== undefined && startMs > asked.fromMs) {
    warnings.push(`The candles of the window begin at ${iso(startMs)}, later than asked for.`);
  }
  if (asked.toMs !== undefined && endMs < asked.toMs) {
    warnings.push(`The candles of the window end at ${iso(endMs)}, earlier than asked for.`);
  }
  return warnings;
}

/** Holes of candles that came apart from the detail; those of the detail itself are counted there. */
function signalWarnings({ signal, detail }: KernelInput, startMs: number, endMs: number): string[] {
  const { have, whole } = countInside(signal, startMs, endMs);
  if (signal.interval === detail.interval || have >= whole) return [];
  return [`${whole - have} of ${whole} candles of ${signal.interval} are missing in the window.`];
}

function warningsOf(coverage: BacktestResult['coverage']): string[] {
  const { candles, missing, gaps, longestGapMs, offGrid, warmUp, warmUpWanted } = coverage;
  const warnings: string[] = [];
  if (missing > 0) {
    const share = ((candles / (candles + missing)) * 100).toFixed(2);
    warnings.push(
      `${missing} candles are missing in ${gaps === 1 ? 'one gap' : `${gaps} gaps`}, the longest ${longestGapMs / 60_000} minutes: ${share} % covered.`,
    );
  }
  if (warmUp < warmUpWanted) {
    warnings.push(`${warmUp} of ${warmUpWanted} candles lie before the window: the strategy warmed up inside it.`);
  }
  if (offGrid > 0) warnings.push(`${offGrid} closes did not lie on the price grid and were rounded to it.`);
  return warnings;
}

const histogram = ({ reasons, counts }: KernelRun): Record<string, number> =>
  Object.fromEntries(
    reasons.map((reason, code): [string, number] => [reason, counts[code] ?? 0]).toSorted(([, a], [, b]) => b - a),
  );

function openPositionOf({ book }: KernelRun): BacktestResult['openPosition'] {
  const { quantity, averagePrice, firstBuyAt } = book.position;
  if (firstBuyAt === null) return null;
  return { quantity: formatDecimal(quantity), averagePrice: formatDecimal(averagePrice) };
}

const fillRecord = (booked: BookedFill): FillRecord => {
  const { fill, reason, cycle, realised, cash, position } = booked;
  return {
    at: fill.at.toISOString(),
    side: fill.side,
    price: formatDecimal(fill.price),
    quantity: formatDecimal(fill.quantity),
    quote: formatDecimal(fill.quoteQuantity),
    fee: formatDecimal(fill.feeAmount),
    feeAsset: fill.feeAsset ?? '',
    reason,
    cycle,
    realised: fill.side === 'buy' ? null : formatDecimal(realised),
    cash: formatDecimal(cash),
    position: formatDecimal(position),
  };
};

const cycleRecord = (cycle: Cycle): CycleRecord => ({
  cycle: cycle.number,
  openedAt: iso(cycle.openedMs),
  closedAt: iso(cycle.closedMs),
  net: formatDecimal(cycle.net),
  exitReason: cycle.exitReason,
});

const rejectionRecord = ({ atMs, order, reason }: Rejection): RejectionRecord => ({
  at: iso(atMs),
  side: order.side,
  quantity: formatDecimal(order.quantity),
  reason,
});
