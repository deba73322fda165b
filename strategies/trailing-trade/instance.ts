import { type Candle, INTERVAL_MS, MOST_CLOSED } from '#core/market/candle.ts';
import { toNumber } from '#core/amount/decimal.ts';
import type { TickView } from '#core/judge/view.ts';
import { readFactor } from '#strategies/fields.ts';
import { queueingOf } from '#strategies/execution.ts';
import { rungsOf } from '#strategies/ladder.ts';
import { firstAnswer } from '#strategies/ordered-rules.ts';
import type { CandleNeed, Grid, Reach, StrategyInstance, CandleRun } from '#strategies/strategy.ts';
import { snapDown, snapUp } from '#strategies/ticks.ts';
import { type Config, DEFAULT_LEVEL, windowOf } from './config.ts';
import { planOf, valuesOf } from './drawings.ts';
import { explain } from './explain.ts';
import { ANSWERS } from './reasons.ts';
import {
  armFloor,
  armTrail,
  barsHeld,
  ENTRY_RULES,
  EXIT_RULES,
  firstBuyNeed,
  holdAnswer,
  type Params,
  placeLevels,
  placeNextRung,
  ratchetTrail,
  type StrategyContext,
} from './rules.ts';
import { type Memory, readState, writeState } from './state.ts';

/** Period of the ATR; 0 without a multiplier. A stored period is limited to the number of available candles. */
const atrPeriodOf = ({ sell }: Config): number =>
  readFactor(sell.atrTrailing.multiplier) > 0 ? Math.max(1, Math.min(sell.atrTrailing.period, MOST_CLOSED - 1)) : 0;

const WARM_RSI = 210;
const WARM_TRUE_RANGES = 15;

/** Candles before the first buy, and warm-up until the seed of an average has no effect. */
export function needsOf(config: Config): CandleNeed {
  const { buy } = config;
  const rsiMax = readFactor(buy.indicatorGate.rsiMaxBuy);
  const need = firstBuyNeed({ immediate: isImmediate(config), window: windowOf(config), rsiMax });
  const atrPeriod = atrPeriodOf(config);
  const min = Math.max(1, need, atrPeriod > 0 ? atrPeriod + 1 : 0);
  const want = Math.max(min, rsiMax > 0 ? WARM_RSI : 0, WARM_TRUE_RANGES * atrPeriod);
  return { interval: config.candleInterval, min, want: Math.min(MOST_CLOSED, want) };
}

const isImmediate = ({ buy }: Config): boolean => buy.firstBuyTriggerBasis === 'immediate';

const readParams = (config: Config, grid: Grid): Params => ({
  buyEnabled: config.buy.enabled,
  sellEnabled: config.sell.enabled,
  levels: Math.max(1, config.buy.gridLevels.length),
  chases: (config.buy.gridLevels.length === 0 ? [DEFAULT_LEVEL] : config.buy.gridLevels).map(chaseOf),
  queueing: queueingOf(config.execution),
  rungs: rungsOf(config.sell.takeProfits),
  minWorth: grid.minWorth ?? 0,
  exitInBear: config.regime.policy === 'exit-in-bear',
  entryTrigger: readFactor(config.buy.gridLevels[0]?.triggerPercentage ?? '1'),
  triggers: config.buy.gridLevels.map(({ triggerPercentage }) => readFactor(triggerPercentage)),
  window: windowOf(config),
  stopLoss: readFactor(config.sell.stopLossPercentage),
  armTrigger: readFactor(config.sell.triggerPercentage),
  trail: readFactor(config.sell.trailingStopPercentage),
  immediate: isImmediate(config),
  rsiMax: readFactor(config.buy.indicatorGate.rsiMaxBuy),
  atrMultiplier: readFactor(config.sell.atrTrailing.multiplier),
  fromEntry: config.sell.atrTrailing.fromEntry && atrPeriodOf(config) > 0,
  floorArm: readFactor(config.sell.breakEven.armAtPercentage),
  floor: readFactor(config.sell.breakEven.floorPercentage),
  timeStopBars: config.sell.timeStopBars,
  intervalMs: INTERVAL_MS[config.candleInterval],
  tick: toNumber(grid.tick),
});

/** A running trailing-trade for one (profile, symbol). */
export function createInstance(config: Config, grid: Grid, state?: unknown): StrategyInstance {
  const params = readParams(config, grid);
  const series = { length: params.window, rsi: params.rsiMax > 0, atrPeriod: atrPeriodOf(config) };
  const frame = { grid, interval: config.candleInterval, ...series };
  const memory = readState(state, frame);
  const levels = {
    avgTicks: 0,
    takerFee: -1,
    target: -1,
    stop: 0,
    arm: 0,
    floorArm: 0,
    floor: 0,
    entryLimit: 0,
    addLimit: 0,
    cost: 0,
    rung: { ticks: 0, lots: 0, done: 0 },
    rungOf: { avgTicks: -1, lots: 0, peakLots: 0, done: 0 },
  };
  const context: StrategyContext = { params, memory, levels };
  const limitEntry = (): void => {
    levels.entryLimit = memory.window.count() === 0 ? 0 : snapDown(memory.window.low() * params.entryTrigger);
  };
  limitEntry();

  return {
    onCandle(candle, view) {
      if (!candle.closed) return;
      followCycle(memory, view);
      if (candle.openMs > memory.lastOpenMs) {
        memory.lastOpenMs = candle.openMs;
        memory.window.push(Math.round(candle.low / params.tick));
        memory.rsi?.push(candle.close);
        memory.atr?.push(candle);
        limitEntry();
      }
      if (countsForPosition(memory, candle, view)) ratchet(context, candle, view);
    },
    onFill(side, view) {
      followCycle(memory, view);
      if (side === 'buy' || !view.sellable) dropRatchets(memory);
      if (side === 'sell') countRung(memory, view);
      placeLevels(context, view);
    },
    decide(view) {
      followCycle(memory, view);
      placeLevels(context, view);
      if (!view.sellable) return firstAnswer(ENTRY_RULES, context, view) ?? holdAnswer(context);
      armFloor(context, view);
      armTrail(context, view);
      if (!view.exitOrderOpen) memory.rungNext = 0;
      const exit = firstAnswer(EXIT_RULES, context, view);
      if (exit !== undefined) return exit;
      const entry = firstAnswer(ENTRY_RULES, context, view);
      return entry !== undefined && entry.kind !== 'nothing' ? entry : holdAnswer(context);
    },
    skipQuietCandles: (view, run) => skipQuietCandles(context, view, run),
    reach: (view, into) => reachOf(context, view, into),
    explain: (decision, view) => explain({ context, config, grid, view }, decision),
    stopTicks: (view) => stopOf(context, view),
    stopReason: (view) => stopReasonOf(context, view),
    targetTicks: (view) => targetOf(context, view),
    targetReason: TARGET_REASON,
    plan: (view) => planOf(context, view),
    draw: (view) => valuesOf(context, view),
    state: () => writeState(memory, frame),
  };
}

function skipQuietCandles(context: StrategyContext, view: TickView, run: CandleRun): number {
  const { memory } = context;
  // Indicators that read whole candles need every candle.
  if (memory.rsi !== null || memory.atr !== null) return -1;
  if (run.answer === ANSWERS['entry-above-window-low'] && !view.sellable)
    return run.inside ? skipFlatInside(context, run) : skipFlat(context, run);
  const held = view.sellable && view.target > 0 && run.answer === holdAnswer(context);
  if (held && run.inside) endAtReach(context, view, run);
  return held ? skipHeld(context, view, run) : -1;
}

function reachOf(context: StrategyContext, view: TickView, into: Reach): void {
  followCycle(context.memory, view);
  placeLevels(context, view);
  if (view.sellable) heldReach(context, view, into);
  else flatReach(context, view, into);
}

/** While flat, it buys at the low of the window, or lower. */
function flatReach({ params, memory, levels }: StrategyContext, view: TickView, into: Reach): void {
  const ready = params.buyEnabled && view.readable && !view.entryOrderOpen && view.target < params.levels;
  const waits = ready && !params.immediate && memory.window.count() >= firstBuyNeed(params);
  into.below = waits ? levels.entryLimit : 0;
  into.above = Number.POSITIVE_INFINITY;
}

/** While held: below, it sells or adds; above, the trail, the floor or a partial sale starts. */
function heldReach(context: StrategyContext, view: TickView, into: Reach): void {
  const { params, memory, levels } = context;
  const adds = params.buyEnabled && !view.entryOrderOpen && view.target < params.levels;
  into.below = adds ? levels.addLimit : 0;
  into.above = Number.POSITIVE_INFINITY;
  if (!params.sellEnabled) return;
  if (params.rungs.length > 0) placeNextRung(context, view);
  into.below = Math.max(into.below, levels.stop, memory.breakEven ? levels.floor : 0, memory.trailStop);
  if (memory.high === 0 && levels.arm > 0) into.above = levels.arm;
  if (!memory.breakEven && levels.floorArm > 0) into.above = Math.min(into.above, levels.floorArm);
  if (levels.rung.ticks > 0) into.above = Math.min(into.above, levels.rung.ticks);
}

/** While flat, only a close at the low of the window needs a decision. */
function skipFlat(
  { params, memory, levels }: StrategyContext,
  { openMs, closeTicks, lowTicks, candles, from, to }: CandleRun,
): number {
  let row = from;
  for (; row < to; row++) {
    if (candles) {
      memory.window.push(lowTicks[row] ?? 0);
      levels.entryLimit = snapDown(memory.window.low() * params.entryTrigger);
    }
    if ((closeTicks[row] ?? 0) <= levels.entryLimit) break;
  }
  if (candles) memory.lastOpenMs = openMs[Math.min(row, to - 1)] ?? 0;
  return row;
}

/** Like `skipFlat`, when the strategy also acts inside candles. A separate loop keeps the other one fast. */
function skipFlatInside({ params, memory, levels }: StrategyContext, run: CandleRun): number {
  const { openMs, closeTicks, lowTicks, candles, from, to } = run;
  let row = from;
  for (; row < to; row++) {
    const low = lowTicks[row] ?? 0;
    if (low <= levels.entryLimit) {
      run.to = row;
      break;
    }
    if (candles) {
      memory.window.push(low);
      levels.entryLimit = snapDown(memory.window.low() * params.entryTrigger);
    }
    if ((closeTicks[row] ?? 0) <= levels.entryLimit) break;
  }
  if (candles && row > from) memory.lastOpenMs = openMs[Math.min(row, run.to - 1)] ?? 0;
  return row;
}

/** Ends a run before the candle that crosses a level in force, and after the one whose close moves the trail. */
function endAtReach(context: StrategyContext, view: TickView, run: CandleRun): void {
  const { params, memory } = context;
  const { high, closeTicks, lowTicks, candles, from, to } = run;
  heldReach(context, view, reach);
  const { below, above } = reach;
  const reachesUp = (above - 0.5) * params.tick;
  const moves = candles && memory.high > 0 ? memory.high : Number.POSITIVE_INFINITY;
  let row = from;
  for (; row < to; row++) {
    if ((lowTicks[row] ?? 0) <= below || (high[row] ?? 0) >= reachesUp) break;
    if ((closeTicks[row] ?? 0) > moves) {
      row += 1;
      break;
    }
  }
  run.to = Math.min(row, to);
}

/** Reused for every run. */
const reach: Reach = { below: 0, above: 0 };

/** While held, a close beyond an active level needs a decision, and so does a moved trail with a stop on the exchange. */
function skipHeld(context: StrategyContext, view: TickView, run: CandleRun): number {
  const { params, memory, levels } = context;
  const { openMs, closeTicks, lowTicks, candles, guarded, from, to } = run;
  if (to === from) return from;
  placeLevels(context, view);
  if (params.rungs.length > 0) placeNextRung(context, view);
  const below = Math.max(levels.stop, memory.breakEven ? levels.floor : 0, levels.addLimit);
  const above = Math.min(
    memory.high === 0 && levels.arm > 0 ? levels.arm : Number.POSITIVE_INFINITY,
    !memory.breakEven && levels.floorArm > 0 ? levels.floorArm : Number.POSITIVE_INFINITY,
    levels.rung.ticks > 0 ? levels.rung.ticks : Number.POSITIVE_INFINITY,
  );
  const timed = params.timeStopBars > 0 && memory.high === 0;
  let row = from;
  for (; row < to; row++) {
    const close = closeTicks[row] ?? 0;
    const trailStop = memory.trailStop;
    if (candles && memory.high > 0 && close > memory.high) {
      memory.high = close;
      ratchetTrail(context);
    }
    if (candles && timed) memory.lastOpenMs = openMs[row] ?? 0;
    if (close <= below || close >= above || close <= memory.trailStop) break;
    if ((guarded && memory.trailStop !== trailStop) || (timed && barsHeld(context, view) >= params.timeStopBars)) break;
  }
  if (candles) {
    const last = Math.min(row, to - 1);
    memory.window.pushAll(lowTicks, from, last + 1);
    memory.lastOpenMs = openMs[last] ?? 0;
    memory.ratchetedMs = memory.lastOpenMs + params.intervalMs;
    memory.lastClose = closeTicks[last] ?? 0;
    levels.entryLimit = snapDown(memory.window.low() * params.entryTrigger);
  }
  return row;
}

/** A partial sale is complete once all but its last lot has filled. Only fills count. */
function countRung(memory: Memory, { lots }: TickView): void {
  if (memory.rungNext === 0 || memory.rungFrom - lots < memory.rungLots - 1) return;
  memory.rungsDone = memory.rungNext;
  memory.rungNext = 0;
}

const chaseOf = ({ stopPricePercentage, limitPricePercentage }: typeof DEFAULT_LEVEL): Params['chases'][number] => {
  const [stop, limit] = [readFactor(stopPricePercentage), readFactor(limitPricePercentage)];
  return stop > 0 && limit > 0 ? { stop, limit } : null;
};

function dropRatchets(memory: Memory): void {
  memory.high = 0;
  memory.trailStop = 0;
  memory.breakEven = false;
}

/** Ratchets belong to one cycle. Levels of an earlier cycle must not sell or protect the next one. */
function followCycle(memory: Memory, view: TickView): void {
  if (memory.cycle === view.cycle) return;
  memory.cycle = view.cycle;
  memory.lastClose = 0;
  memory.rungsDone = 0;
  memory.rungNext = 0;
  dropRatchets(memory);
}

/** Only candles that closed after the first buy fill move the ratchets, each one once. */
const countsForPosition = (memory: Memory, { closeMs }: Candle, view: TickView): boolean =>
  view.sellable && closeMs > view.firstBuyFillMs && closeMs > memory.ratchetedMs;

function ratchet(context: StrategyContext, { closeMs, close }: Candle, view: TickView): void {
  const { params, memory } = context;
  memory.ratchetedMs = closeMs;
  memory.lastClose = Math.round(close / params.tick);
  if (params.fromEntry && memory.atr?.ready === true) memory.high = Math.max(memory.high, snapUp(view.avgTicks));
  if (memory.high === 0) return;
  memory.high = Math.max(memory.high, memory.lastClose);
  ratchetTrail(context);
}

function stopOf(context: StrategyContext, view: TickView): number {
  if (!context.params.sellEnabled || !view.sellable) return 0;
  placeLevels(context, view);
  const { levels, memory } = context;
  return Math.max(levels.stop, memory.breakEven ? levels.floor : 0, memory.trailStop);
}

const TARGET_REASON = 'exit-take-profit';

/** The last partial sale sells what is left at one price. */
function targetOf(context: StrategyContext, view: TickView): number {
  const { params, levels } = context;
  if (!params.sellEnabled || !view.sellable || params.rungs.length === 0) return 0;
  placeNextRung(context, view);
  return levels.rung.lots === view.lots ? levels.rung.ticks : 0;
}

/** Among equal levels it is the one that the exit rules would name. */
function stopReasonOf(context: StrategyContext, view: TickView): string {
  const highest = stopOf(context, view);
  const { levels, memory } = context;
  if (levels.stop === highest) return ANSWERS['exit-stop-loss'].reason;
  return ANSWERS[memory.breakEven && levels.floor === highest ? 'exit-break-even' : 'exit-trail'].reason;
}
