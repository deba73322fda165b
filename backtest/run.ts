import { type Interval, INTERVAL_MS, INTERVALS } from '#core/market/candle.ts';
import { lowerBound } from '#core/market/candle-columns.ts';
import { gateNeeds } from '#core/decision/gates.ts';
import { formatDecimal, multiply, requireDecimal, toNumber, ZERO } from '#core/amount/decimal.ts';
import type { ListedSignal } from '#core/order/signal-list.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { BoundStrategy } from '#strategies/strategy.ts';
import { aggregateSeries, countInside, coverageOf, type Series, withHistory } from './columns.ts';
import { equityCurve } from './equity-curve.ts';
import { againstOf, FILL_RULES, type Terms } from './fills.ts';
import { fingerprintOf } from './fingerprint.ts';
import { bandOf, type Made, runCoin } from './run-coin.ts';
import type { KernelInput, Opening } from './run-state.ts';
import { measure } from './metrics.ts';
import { iso } from './records.ts';
import { holdout, regimes } from './splits.ts';
import type { BacktestResult } from '#core/research/backtest-result.ts';

export interface BacktestInput {
  readonly bound: BoundStrategy;
  readonly rules: SymbolRules;
  readonly terms: Terms;
  /** Candles at the strategy's interval, or finer ones that add up to it. */
  readonly candles: Series;
  /** Finer candles for decisions and fills; absent: `candles`. */
  readonly detail?: Series;
  /** Other stored candles of the coin. They warm up the strategy when `candles` do not reach back far enough. */
  readonly history?: readonly Series[];
  /** Recorded signals, for a strategy that acts on them; those of other coins are ignored. */
  readonly signals?: readonly ListedSignal[];
  /** The coin at the start of the window; absent: it never traded. */
  readonly opening?: Opening;
  /** The window: candles that open at or after `fromMs` and close by `toMs`; default: all. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

export type BacktestOutcome =
  | { readonly kind: 'result'; readonly result: BacktestResult }
  | { readonly kind: 'refused'; readonly sentence: string };

const BPS = requireDecimal('10000');
const SPREAD_BPS = requireDecimal('20000');
const HUNDRED = requireDecimal('100');
const refuse = (sentence: string): Refused => ({ kind: 'refused', sentence });

export type Refused = Extract<BacktestOutcome, { kind: 'refused' }>;

/** Intervals coarser than `finest` that add up to an interval of the strategy or its gates: `history` of `BacktestInput`. */
export function historyIntervals({ needs, shared }: BoundStrategy, finest: Interval): Interval[] {
  const needed = [needs, ...(needs.also ?? []), ...(shared.gates === undefined ? [] : gateNeeds(shared.gates))];
  return INTERVALS.filter(
    (each) =>
      INTERVAL_MS[each] > INTERVAL_MS[finest] &&
      needed.some(({ interval }) => INTERVAL_MS[interval] % INTERVAL_MS[each] === 0),
  );
}

/** Input of the kernel; refused when the candles cannot give an honest result. `basket`: the coin is one of several. */
export function openKernel(
  input: BacktestInput,
  { basket = false } = {},
): { readonly kind: 'kernel'; readonly kernel: KernelInput } | Refused {
  const { bound, rules, terms, candles, history = [], signals } = input;
  if (bound.takesSignals === true && signals === undefined)
    return refuse(`${bound.name} acts on signals of other programs, and this run has no list of them.`);
  const detail = input.detail ?? candles;
  if (bound.planner !== undefined && !basket)
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
    return refuse(`There are no candles in the window: they cover ${iso(first)} to ${iso(last + lengthMs)}.`);
  }
  const signal = withHistory(aggregateSeries(candles, needed), history);
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
    gateSeries.push(withHistory(aggregateSeries(source, interval), history));
  }
  const longer = (bound.needs.also ?? []).map(({ interval }) =>
    withHistory(aggregateSeries(candles, interval), history),
  );
  const { opening } = input;
  const given = { ...(signals && { signals }), ...(opening && { opening }) };
  return { kind: 'kernel', kernel: { bound, rules, terms, signal, detail, start, end, gateSeries, longer, ...given } };
}

/** Runs one strategy on one coin and reports it; refused when the candles cannot give an honest result. */
export function runBacktest(input: BacktestInput): BacktestOutcome {
  const opened = openKernel(input);
  if (opened.kind === 'refused') return opened;
  return { kind: 'result', result: report(runCoin(opened.kernel), { fromMs: input.fromMs, toMs: input.toMs }) };
}

/** The requested window. */
interface RequestedWindow {
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
}

/**
 * Builds the result. The fingerprint covers all trades and all metrics. Each list of records is built when it is first read;
 * a copy of the result reads it.
 */
export function report(made: Made, requested: RequestedWindow): BacktestResult {
  const { inputs, meter, traded } = made;
  const [input] = inputs;
  if (input === undefined) throw new RangeError('a report needs a coin');
  const { bound, rules, terms, signal, detail } = input;
  const lengthMs = INTERVAL_MS[detail.interval];
  const startMs = Math.min(...inputs.map((each) => each.detail.columns.openMs[each.start] ?? 0));
  const endMs = Math.max(...inputs.map((each) => each.detail.columns.openMs[each.end - 1] ?? 0)) + lengthMs;
  const coverage = coveredBy(made, bound.needs.want);
  const { fills, cycles } = traded;
  const numbers = measured(made, { terms, windowMs: endMs - startMs });
  const [fillRecords, cycleRecords] = [once(traded.fillRecords), once(traded.cycleRecords)];
  const { peakMs, troughMs } = meter.drawdown;
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
    makerFeeBps: toNumber(multiply(terms.makerFeeRate ?? terms.feeRate, BPS)),
    feeIn: terms.feeIn ?? 'received',
    slippageBps: toNumber(multiply(terms.slippage, BPS)),
    spreadBps: toNumber(multiply(terms.halfSpread ?? ZERO, SPREAD_BPS)),
    volumePercent: toNumber(multiply(terms.participation ?? ZERO, HUNDRED)),
    fillRules: FILL_RULES,
    coverage,
    warnings: [
      ...edgeWarnings({ startMs, endMs, requested }),
      ...inputs.flatMap((each) => signalWarnings(each, startMs, endMs)),
      ...warningsOf(coverage),
      ...new Set(inputs.flatMap((each) => tickWarnings(each.bound, each.detail.interval))),
    ],
    passedCandles: made.skipped,
    openPosition: made.openPosition,
    ambiguity: bandOf(made),
    equityCurve: equityCurve({ inputs, fills, also: [peakMs, troughMs] }),
    ...numbers,
    get fills() {
      return fillRecords();
    },
    get cycles() {
      return cycleRecords();
    },
    fingerprint: fingerprintOf({ fills, cycles, numbers }),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function coveredBy({ inputs, offGrid, warmUp }: Made, warmUpWanted: number): BacktestResult['coverage'] {
  const covered = inputs.map(({ detail, start, end }) => coverageOf(detail, start, end));
  const sum = (name: 'candles' | 'missing' | 'gaps'): number => covered.reduce((all, one) => all + one[name], 0);
  const longestGapMs = Math.max(...covered.map((one) => one.longestGapMs));
  return {
    candles: sum('candles'),
    missing: sum('missing'),
    gaps: sum('gaps'),
    longestGapMs,
    offGrid,
    warmUp,
    warmUpWanted,
  };
}

/** Everything that is measured on the trades. */
function measured(made: Made, { terms, windowMs }: { readonly terms: Terms; readonly windowMs: number }) {
  const { traded, meter, coin, candles, heldCandles, capitalUsed, meanExposure } = made;
  const { fills, cycles, rejections } = traded;
  const dailyEquity = [...meter.days, meter.last];
  const split = { balance: toNumber(terms.balance), days: dailyEquity, coin, cycles };
  const metrics = measure({
    ...split,
    ...{ fills, candles, heldCandles, windowMs, capitalUsed, meanExposure },
    finalEquity: meter.last,
    drawdown: meter.drawdown.depth,
    feeRate: toNumber(terms.feeRate),
    slippage: againstOf(terms),
  });
  const { depth, peakMs, troughMs, recoveredMs } = meter.drawdown;
  return {
    metrics,
    drawdown: {
      depth,
      peakAt: iso(peakMs),
      troughAt: iso(troughMs),
      recoveredAt: recoveredMs === null ? null : iso(recoveredMs),
    },
    holdout: holdout(split),
    regimes: regimes(split),
    decisions: decisionsOf(made.counts),
    dailyEquity,
    rejections,
  };
}

/** Reasons with their candles, the most frequent first, equal ones by name. */
function decisionsOf(counts: ReadonlyMap<string, number>): Record<string, number> {
  const made = [...counts].filter(([, count]) => count > 0);
  return Object.fromEntries(made.toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)));
}

/** Warns when the candles do not cover the requested window. */
function edgeWarnings({
  startMs,
  endMs,
  requested,
}: {
  startMs: number;
  endMs: number;
  requested: Pick<RequestedWindow, 'fromMs' | 'toMs'>;
}): string[] {
  const warnings: string[] = [];
  if (requested.fromMs !== undefined && startMs > requested.fromMs) {
    warnings.push(`The candles of the window begin at ${iso(startMs)}, later than requested.`);
  }
  if (requested.toMs !== undefined && endMs < requested.toMs) {
    warnings.push(`The candles of the window end at ${iso(endMs)}, earlier than requested.`);
  }
  return warnings;
}

/** Gaps in separate signal candles. Gaps in the detail candles are counted in the coverage. */
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

/** A strategy that acts at any price needs finer candles than its own: it sees only one price per candle. */
export function tickWarnings({ title, actsOnTicks, needs }: BoundStrategy, detail: Interval): string[] {
  if (actsOnTicks !== true || detail !== needs.interval) return [];
  const [finest] = INTERVALS;
  const advice = detail === finest ? 'Let it decide on longer candles' : `Use finer candles, such as ${finest}`;
  return [
    `${title} acts at any price, but here it saw one price for each of its own candles (${detail}): the result says little about live trading. ${advice}.`,
  ];
}
