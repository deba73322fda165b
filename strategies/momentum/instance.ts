import { type Candle, INTERVAL_MS } from '#core/market/candle.ts';
import { toNumber } from '#core/amount/decimal.ts';
import type { TickView } from '#core/judge/view.ts';
import { queueingOf } from '#strategies/execution.ts';
import { readFactor } from '#strategies/fields.ts';
import { firstAnswer } from '#strategies/ordered-rules.ts';
import type { Grid, StrategyInstance, CandleRun } from '#strategies/strategy.ts';
import { snapUp } from '#strategies/ticks.ts';
import { type Config, DEFAULTS, fitWindows, storedWindows } from './config.ts';
import { planOf, valuesOf } from './drawings.ts';
import { explain } from './explain.ts';
import { ANSWERS } from './reasons.ts';
import {
  crossedDown,
  crossedUp,
  ENTRY_RULES,
  HELD_RULES,
  type Params,
  raiseStops,
  type StrategyContext,
  stopAnswer,
} from './rules.ts';
import { createSeries, type Memory, readState, type Series, writeState } from './state.ts';

/** After a longer gap the averages restart, because the old prices are outdated. */
const LONGEST_HOLE = 999;

/** Closed candles before entries are possible. */
export function needOf({ ema, atrTrailing, trendFilter, entryExtension }: Config): number {
  const atr = readFactor(atrTrailing.multiplier) > 0 ? atrTrailing.period + 1 : 0;
  const trend = trendFilter.period > 0 ? trendFilter.period + trendFilter.slopeBars : 0;
  const extension = readFactor(entryExtension.maxPercentage) > 0 ? entryExtension.period : 0;
  return Math.max(ema.slow + 1, atr, trend, extension);
}

const readParams = (config: Config, grid: Grid): Params => ({
  buyEnabled: config.entryEnabled,
  sellEnabled: config.exitEnabled,
  exitOnCross: config.exitOnCross,
  queueing: queueingOf(config.execution),
  exitInBear: config.regime.policy === 'exit-in-bear',
  intervalMs: INTERVAL_MS[config.candleInterval],
  need: needOf(config),
  slow: config.ema.slow,
  margin: readFactor(config.entryMarginPercentage) || 1,
  trail: readFactor(config.trailingStopPercentage) || readFactor(DEFAULTS.trailingStopPercentage),
  atrMultiplier: readFactor(config.atrTrailing.multiplier),
  activation: readFactor(config.profitTrail.activationPercentage),
  profitTrail: readFactor(config.profitTrail.trailPercentage),
  slopeBars: config.trendFilter.slopeBars,
  extension: readFactor(config.entryExtension.maxPercentage),
  tick: toNumber(grid.tick),
});

/** A running momentum strategy for one (profile, symbol). */
export function createInstance(stored: Config, grid: Grid, state?: unknown): StrategyInstance {
  const config = fitWindows(stored);
  const tooLong = storedWindows(stored);
  const params = readParams(config, grid);
  const memory = readState(state, { config, grid });
  const context: StrategyContext = { params, memory };

  return {
    onCandle(candle, view) {
      if (!candle.closed) return;
      followPosition(context, view);
      if (candle.openMs > memory.series.lastOpenMs) {
        if (isLongHole(memory.series, candle, params)) memory.series = createSeries(config);
        pushCandle(memory.series, candle, params.slopeBars);
        followCross(context, candle, view);
      }
      if (countsForPosition(memory, candle, view)) ratchet(context, candle, view);
    },
    onFill(side, view) {
      memory.ratchets.actionOpenMs = memory.series.lastOpenMs;
      if (side === 'buy' || !view.sellable) dropStops(memory);
      followPosition(context, view);
    },
    decide(view) {
      followPosition(context, view);
      return firstAnswer(view.sellable ? HELD_RULES : ENTRY_RULES, context, view) ?? ANSWERS['hold-above-stop'];
    },
    skipQuietCandles(view, run) {
      const { atr, trend } = memory.series;
      // Indicators that read whole candles, or the past of an average, need every candle.
      if (run.candles && (atr !== null || trend !== null)) return -1;
      if (run.answer !== ANSWERS[view.sellable ? 'hold-above-stop' : 'entry-no-cross']) return -1;
      if (run.candles) return skipCandles(context, view, { run, renew: () => createSeries(config) });
      const stop = view.sellable ? Math.max(memory.ratchets.stop, memory.ratchets.leg) : 0;
      let row = run.from;
      while (row < run.to && (run.closeTicks[row] ?? 0) > stop) row += 1;
      return row;
    },
    explain: (decision, view) => ({ ...explain(context, grid, { decision, view, config }), ...tooLong }),
    stopTicks(view) {
      if (!params.sellEnabled || !view.sellable) return 0;
      followPosition(context, view);
      return Math.max(memory.ratchets.stop, memory.ratchets.leg);
    },
    stopReason: () => stopAnswer(context).reason,
    stopMultiple: (view) => stopMultipleOf(context, view),
    plan(view) {
      followPosition(context, view);
      return planOf(context, view);
    },
    draw(view) {
      followPosition(context, view);
      return valuesOf(context, view);
    },
    state: () => writeState(memory, { config, grid }),
  };
}

const isLongHole = ({ lastOpenMs }: Series, { openMs }: Candle, { intervalMs }: Params): boolean =>
  lastOpenMs >= 0 && openMs - lastOpenMs > LONGEST_HOLE * intervalMs;

interface SkipInput {
  readonly run: CandleRun;
  readonly renew: () => Series;
}

/** Skips closed candles up to a cross up while flat; up to a stop, a cross down or a moved stop while held; or a long gap. */
function skipCandles(context: StrategyContext, view: TickView, { run, renew }: SkipInput): number {
  const { memory } = context;
  const { openMs, close, from, to } = run;
  if (!memory.series.slow.ready || !memory.series.fast.ready) return -1;
  const { row, needsDecision } = advanceAverages(context, view, run);
  if (row > from) recordSkipped(memory, run, row);
  if (needsDecision || row === to) return needsDecision ? row - 1 : row;
  memory.series = renew();
  takeClose(memory.series, openMs[row] ?? 0, close[row] ?? 0);
  if (view.sellable) {
    memory.ratchets.ratchetedMs = memory.series.lastOpenMs + context.params.intervalMs;
    ratchetTo(context, view, close[row] ?? 0);
  }
  return row;
}

/** Updates the state that the loop over candles does not update itself. */
function recordSkipped({ series }: Memory, { openMs, close, from }: CandleRun, row: number): void {
  for (let at = from; series.extension !== null && at < row; at++) series.extension.push(close[at] ?? 0);
  series.closedCount += row - from;
  series.close = close[row - 1] ?? 0;
  series.lastOpenMs = openMs[row - 1] ?? 0;
}

/** Advances the averages and the stop of a position, to the row after one that needs a decision, or to a long gap. */
function advanceAverages(
  context: StrategyContext,
  view: TickView,
  run: CandleRun,
): { readonly row: number; readonly needsDecision: boolean } {
  const { params, memory } = context;
  const { series } = memory;
  const { openMs, from } = run;
  const end = holeIn(series, run, params);
  const averages = { fast: series.fast.value, slow: series.slow.value, row: from, needsDecision: false };
  if (view.sellable) advanceHeld(context, view, { averages, run, end });
  else advanceFlat(context, { averages, run, end });
  series.fast.continueFrom(averages.fast);
  series.slow.continueFrom(averages.slow);
  const { row, needsDecision } = averages;
  if (view.sellable && row > from) memory.ratchets.ratchetedMs = (openMs[row - 1] ?? 0) + params.intervalMs;
  return { row, needsDecision };
}

/** The first row after a long gap, or the end. Blocks of rows that span less than such a gap are skipped. */
function holeIn({ lastOpenMs }: Series, { openMs, from, to }: CandleRun, { intervalMs }: Params): number {
  const longMs = LONGEST_HOLE * intervalMs;
  let before = lastOpenMs;
  for (let row = from; row < to; ) {
    const end = Math.min(to, row + LONGEST_HOLE);
    if ((openMs[end - 1] ?? 0) - before <= longMs) row = end;
    else if ((openMs[row] ?? 0) - before > longMs) return row;
    else row += 1;
    before = openMs[row - 1] ?? 0;
  }
  return to;
}

/** State of a loop over candles: the averages, and the row after the last processed one. */
interface AdvanceInput {
  readonly averages: { fast: number; slow: number; row: number; needsDecision: boolean };
  readonly run: CandleRun;
  readonly end: number;
}

function advanceFlat(
  { params, memory: { series } }: StrategyContext,
  { averages, run: { close }, end }: AdvanceInput,
): void {
  const { margin } = params;
  const { weight: quick } = series.fast;
  const { weight: lazy } = series.slow;
  let { fast, slow, row } = averages;
  let { fastBefore, slowBefore } = series;
  let above = fast > slow * margin;
  let up = false;
  for (; row < end && !up; row++) {
    const last = close[row] ?? 0;
    fastBefore = fast;
    slowBefore = slow;
    fast += quick * (last - fast);
    slow += lazy * (last - slow);
    const isAbove = fast > slow * margin;
    up = isAbove && !above;
    above = isAbove;
  }
  series.fastBefore = fastBefore;
  series.slowBefore = slowBefore;
  averages.fast = fast;
  averages.slow = slow;
  averages.row = row;
  averages.needsDecision = up;
}

function advanceHeld(context: StrategyContext, view: TickView, { averages, run, end }: AdvanceInput): void {
  const { params, memory } = context;
  const { series, ratchets } = memory;
  const { close, closeTicks, guarded } = run;
  const { margin, exitOnCross } = params;
  const { weight: quick } = series.fast;
  const { weight: lazy } = series.slow;
  let { fast, slow, row, needsDecision } = averages;
  let { fastBefore, slowBefore } = series;
  let { high, exitSignal } = ratchets;
  let level = Math.max(ratchets.stop, ratchets.leg);
  for (; row < end && !needsDecision; row++) {
    const last = close[row] ?? 0;
    fastBefore = fast;
    slowBefore = slow;
    fast += quick * (last - fast);
    slow += lazy * (last - slow);
    if (fast < slow && fastBefore >= slowBefore) exitSignal = true;
    else if (fast > slow * margin && fastBefore <= slowBefore * margin) exitSignal = false;
    const ticks = closeTicks[row] ?? 0;
    if (ticks > high) {
      high = ticks;
      const before = level;
      level = ratchetTo(context, view, last);
      needsDecision = guarded && level !== before;
    }
    if (ticks <= level || (exitOnCross && exitSignal)) needsDecision = true;
  }
  series.fastBefore = fastBefore;
  series.slowBefore = slowBefore;
  ratchets.exitSignal = exitSignal;
  averages.fast = fast;
  averages.slow = slow;
  averages.row = row;
  averages.needsDecision = needsDecision;
}

function dropStops({ ratchets }: Memory): void {
  ratchets.high = 0;
  ratchets.stop = 0;
  ratchets.leg = 0;
}

/** The stops belong to one cycle of one position and exist from its first fill on. */
function followPosition(context: StrategyContext, view: TickView): void {
  const { ratchets } = context.memory;
  if (ratchets.cycle !== view.cycle || !view.sellable) {
    ratchets.cycle = view.cycle;
    ratchets.exitSignal = false;
    if (ratchets.high > 0) dropStops(context.memory);
  }
  if (!view.sellable || ratchets.high > 0) return;
  ratchets.high = snapUp(view.avgTicks);
  raiseStops(context, view);
}

function takeClose(series: Series, openMs: number, close: number): void {
  const { fast, slow, extension } = series;
  series.lastOpenMs = openMs;
  series.closedCount += 1;
  series.close = close;
  series.fastBefore = fast.ready ? fast.value : 0;
  series.slowBefore = slow.ready ? slow.value : 0;
  fast.push(close);
  slow.push(close);
  extension?.push(close);
}

function pushCandle(series: Series, candle: Candle, slopeBars: number): void {
  const { atr, trend } = series;
  takeClose(series, candle.openMs, candle.close);
  atr?.push(candle);
  trend?.push(candle.close);
  if (trend === null || !trend.ready || slopeBars === 0) return;
  series.trendPast.push(trend.value);
  if (series.trendPast.length > slopeBars + 1) series.trendPast.shift();
}

/** A cross down while held is stored until a cross up or the sale, so that downtime does not lose it. */
function followCross({ params, memory }: StrategyContext, { closeMs }: Candle, view: TickView): void {
  if (!view.sellable || closeMs <= view.firstBuyFillMs) return;
  if (crossedDown(params, memory.series)) memory.ratchets.exitSignal = true;
  else if (crossedUp(params, memory.series)) memory.ratchets.exitSignal = false;
}

/** Only candles that closed after the first buy fill move the stops, each one once. */
const countsForPosition = ({ ratchets }: Memory, { closeMs }: Candle, view: TickView): boolean =>
  view.sellable && closeMs > view.firstBuyFillMs && closeMs > ratchets.ratchetedMs;

function ratchet(context: StrategyContext, { closeMs, close }: Candle, view: TickView): void {
  context.memory.ratchets.ratchetedMs = closeMs;
  ratchetTo(context, view, close);
}

/** Updates high and stops with a close; returns the level that sells. */
function ratchetTo(context: StrategyContext, view: TickView, close: number): number {
  const { ratchets } = context.memory;
  ratchets.high = Math.max(ratchets.high, Math.round(close / context.params.tick));
  raiseStops(context, view);
  return Math.max(ratchets.stop, ratchets.leg);
}

const WIDEST_STOP = 0.5;

/** Stop of an entry by volatility, as a share of its price; undefined when the percentage applies. */
function stopMultipleOf({ params, memory: { series } }: StrategyContext, { price }: TickView): number | undefined {
  if (!params.sellEnabled || params.atrMultiplier === 0 || series.atr === null || !series.atr.ready) return undefined;
  const share = 1 - (params.atrMultiplier * series.atr.value) / (price * params.tick);
  return series.atr.value > 0 && price > 0 ? Math.max(WIDEST_STOP, share) : undefined;
}
