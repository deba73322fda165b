import { formatDecimal, toNumber } from '#core/amount/decimal.ts';
import type { Decision } from '#core/decision/decision.ts';
import type { TickView } from '#core/judge/view.ts';
import { type Candle, INTERVAL_MS, type Interval } from '#core/market/candle.ts';
import { isObject } from '#core/merge.ts';
import { barsSince, makerForm, type Queueing } from '#strategies/execution.ts';
import type { CandleRun, Grid, PlanLine, Reach, StrategyInstance } from '#strategies/strategy.ts';
import { snapDown, snapUp } from '#strategies/ticks.ts';
import { type Answers, levelProblem } from './answers.ts';
import type { DeclaredIndicators, Description } from './description.ts';
import { explainAnswer } from './explain.ts';
import { CELL, type RunningFile } from './moment.ts';
import { NO_POSITION, type PositionFacts, type SavedState } from './position.ts';
import { memoryOf, readSaved, seriesOf } from './saved.ts';
import type { Values } from './schema.ts';
import { dueSlot, lastSlot } from './schedule.ts';
import type { IndicatorSeries } from './series.ts';

/** After a longer gap the indicators restart, because the old prices are outdated. */
const LONGEST_HOLE = 999;

/** A file that answers later, from another process. `later` reads the questions in `cells` and writes the answers. */
interface DistantFile extends RunningFile {
  later(): Promise<void>;
}
export type AnyRunningFile = RunningFile | DistantFile;
const isDistant = (file: AnyRunningFile): file is DistantFile => 'later' in file;

interface InstanceInput {
  readonly description: Description;
  readonly declared: DeclaredIndicators;
  readonly values: Values;
  readonly answers: Answers;
  readonly interval: Interval;
  readonly need: number;
  readonly buys: boolean;
  readonly sells: boolean;
  readonly exitsInBear: boolean;
  readonly queueing: Queueing;
  /** Version of the file and settings, for the saved state. */
  readonly shape: string;
  readonly open: (memory: string) => AnyRunningFile;
  /** Why entries are refused although the file runs: quarantine, or a deleted file. */
  readonly halted: () => {
    readonly reason: 'strategy-quarantined' | 'strategy-file-gone';
    readonly problem: string;
  } | null;
  /** The stored setting that cannot be read. */
  readonly path: string | null;
  /** Values of indicators that a chart draws, with their cells. */
  readonly drawn: readonly { readonly name: string; readonly at: number; readonly pane: string | null }[];
}

/** A strategy file that runs for one (profile, symbol). */
export function createOwnInstance(input: InstanceInput, grid: Grid, state?: unknown): StrategyInstance {
  const own = new OwnInstance(input, grid, state);
  return {
    onCandle: (candle, view) => own.onCandle(candle, view),
    onLongerCandle: (interval, candle) => own.onLongerCandle(interval, candle),
    ...(own.isDistant ? { settle: (view: TickView) => own.settle(view) } : {}),
    onFill: (side, view) => own.onFill(side, view),
    decide: (view) => own.decide(view),
    skipQuietCandles: (view, run) => own.skipQuietCandles(view, run),
    reach: (view, into) => own.reach(view, into),
    explain: (decision, view) => own.explain(decision, view),
    stopTicks: (view) => own.stopTicks(view),
    stopReason: () => own.stopReason(),
    stopMultiple: (view) => own.stopMultiple(view),
    plan: (view) => own.plan(view),
    draw: (view) => own.draw(view),
    state: () => own.state(),
  };
}

/** The code between two candles. */
class OwnInstance {
  readonly #input: InstanceInput;
  readonly #grid: Grid;
  readonly #tick: number;
  readonly #step: number;
  readonly #file: AnyRunningFile;
  readonly #queued: Candle[] = [];
  /** Reused for every candle of a run. */
  readonly #candle = { openMs: 0, closeMs: 0, open: 0, high: 0, low: 0, close: 0, volume: 0, closed: true };
  #series: IndicatorSeries;
  #facts: PositionFacts;
  #entry = -1;
  #exit = -1;
  #failed = '';

  constructor(input: InstanceInput, grid: Grid, state?: unknown) {
    this.#input = input;
    this.#grid = grid;
    this.#tick = toNumber(grid.tick);
    this.#step = toNumber(grid.step);
    const saved = readSaved(state, grid);
    this.#facts = saved?.facts ?? { ...NO_POSITION };
    const same = saved !== undefined && saved.shape === input.shape ? saved : undefined;
    this.#file = input.open(JSON.stringify(same?.memory ?? {}));
    this.#series = seriesOf(input, this.#file.cells, same?.series);
    if (same !== undefined && this.#series.lastOpenMs >= 0) {
      this.#entry = same.answer.entry;
      this.#exit = same.answer.exit;
      this.#failed = same.answer.failed;
    }
  }

  get isDistant(): boolean {
    return isDistant(this.#file);
  }

  settle(view: TickView): Promise<void> | undefined {
    return this.#queued.length === 0 ? undefined : this.#answerQueued(view);
  }

  onCandle(candle: Candle, view: TickView): void {
    if (!candle.closed) return;
    if (isDistant(this.#file)) {
      this.#queued.push({ ...candle });
      return;
    }
    if (!this.#begin(candle, view)) return;
    this.#file.step();
    this.#take(view);
  }

  onLongerCandle(interval: Interval, candle: Candle): void {
    if (this.#series.count === 0) this.#series.pushLonger(interval, candle);
  }

  onFill(side: 'buy' | 'sell', view: TickView): void {
    const facts = this.#facts;
    this.#follow(view);
    facts.actionMs = this.#series.lastOpenMs;
    if (side !== 'buy' || !view.sellable) return;
    const { schedule } = this.#input.description;
    if (schedule !== undefined) facts.usedMs = Math.max(facts.usedMs, lastSlot(schedule, view.nowMs));
    facts.stop = Math.max(facts.stop, snapDown(view.avgTicks * facts.stopShare));
    if (facts.target === 0) facts.target = facts.entryTarget;
    facts.peak = Math.max(facts.peak, view.avgTicks * this.#tick);
  }

  decide(view: TickView): Decision {
    this.#follow(view);
    return view.sellable ? this.#decideHeld(view) : this.#decideEntry(view);
  }

  skipQuietCandles(view: TickView, run: CandleRun): number {
    if (run.inside) return -1;
    if (run.candles) return this.#skipCandles(view, run);
    if (!view.sellable) return run.to;
    const stop = this.stopTicks(view);
    const target = this.#facts.target > 0 && this.#input.sells ? this.#facts.target : Number.POSITIVE_INFINITY;
    let row = run.from;
    while (row < run.to && (run.closeTicks[row] ?? 0) > stop && (run.closeTicks[row] ?? 0) < target) row += 1;
    return row;
  }

  reach(view: TickView, into: Reach): void {
    const { target } = this.#facts;
    const held = view.sellable && this.#input.sells;
    into.below = held ? this.stopTicks(view) : 0;
    into.above = held && target > 0 ? target : Number.POSITIVE_INFINITY;
  }

  explain(decision: Decision, view: TickView) {
    const { description, declared, values, answers, interval } = this.#input;
    const { waiting } = view;
    const placedMs = waiting?.placedMs ?? view.nowMs;
    return explainAnswer(decision.reason, {
      ...{ description, declared, values, answers, view, grid: this.#grid, cells: this.#file.cells },
      memory: memoryOf(this.#file.memory()),
      host: {
        ...{ stop: this.#facts.stop, target: this.#facts.target, need: this.#input.need, path: this.#input.path },
        problem: this.#input.halted()?.problem ?? this.#failed,
        limit: waiting?.limit ?? 0,
        bars: barsSince(placedMs, this.#series.lastOpenMs, INTERVAL_MS[interval]),
        candleMs: this.#series.lastOpenMs + INTERVAL_MS[interval],
      },
    });
  }

  stopTicks(view: TickView): number {
    if (!this.#input.sells || !view.sellable) return 0;
    this.#follow(view);
    return this.#facts.stop;
  }

  stopReason(): string {
    return 'stop-reached';
  }

  stopMultiple(view: TickView): number | undefined {
    if (!this.#input.sells || this.#input.description.stop === undefined) return undefined;
    if (view.sellable && this.#facts.stop > 0 && view.price > 0) return Math.min(1, this.#facts.stop / view.price);
    return this.#facts.stopShare > 0 ? this.#facts.stopShare : undefined;
  }

  plan(view: TickView): readonly PlanLine[] {
    if (!view.sellable) return [];
    this.#follow(view);
    const cost: PlanLine = { name: 'cost', ticks: view.avgTicks };
    if (!this.#input.sells) return [cost];
    const { stop, target } = this.#facts;
    const lines: PlanLine[] = [cost, { name: 'stop', ticks: stop }, { name: 'target', ticks: target }];
    return lines.filter(({ ticks }) => ticks > 0);
  }

  draw(view: TickView): Readonly<Record<string, number>> {
    const { stop, target } = this.#facts;
    const held = view.sellable && this.#input.sells;
    const own: unknown = JSON.parse(this.#file.lines());
    const cells = this.#file.cells;
    const drawn = this.#input.drawn.flatMap(({ name, at, pane }) => {
      const value = cells[at] ?? Number.NaN;
      return Number.isFinite(value) && (pane !== null || value > 0) ? [[name, value] as const] : [];
    });
    const prices = [
      ...Object.entries(isObject(own) ? own : {}),
      ...(held && stop > 0 ? [['stop', stop * this.#tick] as const] : []),
      ...(held && target > 0 ? [['target', target * this.#tick] as const] : []),
    ];
    return Object.fromEntries([
      ...drawn,
      ...prices.flatMap(([name, value]) => (typeof value === 'number' && value > 0 ? [[name, value] as const] : [])),
    ]);
  }

  state(): SavedState {
    return {
      v: 1,
      tick: formatDecimal(this.#grid.tick),
      facts: { ...this.#facts },
      shape: this.#input.shape,
      series: this.#series.state(),
      memory: memoryOf(this.#file.memory()),
      answer: { entry: this.#entry, exit: this.#exit, failed: this.#failed },
    };
  }

  /** Processes closed candles up to the first with another decision, or that moves a stop on the exchange. */
  #skipCandles(view: TickView, run: CandleRun): number {
    const candle = this.#candle;
    const lengthMs = INTERVAL_MS[this.#input.interval];
    const { stop } = this.#facts;
    for (let row = run.from; row < run.to; row += 1) {
      candle.openMs = run.openMs[row] ?? 0;
      candle.closeMs = candle.openMs + lengthMs;
      candle.open = run.open[row] ?? 0;
      candle.high = run.high[row] ?? 0;
      candle.low = run.low[row] ?? 0;
      candle.close = run.close[row] ?? 0;
      candle.volume = run.volume[row] ?? 0;
      view.nowMs = candle.closeMs;
      view.price = run.closeTicks[row] ?? 0;
      this.onCandle(candle, view);
      if (this.decide(view) !== run.answer || (run.guarded && this.#facts.stop !== stop)) return row;
    }
    return run.to;
  }

  /** Another cycle, or no position: nothing of the last one is left. */
  #follow(view: TickView): void {
    const facts = this.#facts;
    if (view.sellable ? facts.cycle === view.cycle : facts.stop === 0 && facts.bars === 0 && facts.peak === 0) return;
    facts.cycle = view.cycle;
    facts.peak = view.sellable ? view.avgTicks * this.#tick : 0;
    facts.stop = 0;
    facts.target = 0;
    facts.bars = 0;
  }

  /** Puts the questions of a closed candle into the cells; false for a candle that was processed already. */
  #begin(candle: Candle, view: TickView): boolean {
    const { interval, description } = this.#input;
    const lengthMs = INTERVAL_MS[interval];
    const { lastOpenMs } = this.#series;
    if (candle.openMs <= lastOpenMs) return false;
    this.#follow(view);
    const cells = this.#file.cells;
    if (lastOpenMs >= 0 && candle.openMs - lastOpenMs > LONGEST_HOLE * lengthMs)
      this.#series = seriesOf(this.#input, cells, undefined);
    this.#series.push(candle);
    const facts = this.#facts;
    const { close } = candle;
    const closeMs = candle.openMs + lengthMs;
    const held = view.sellable && closeMs > view.firstBuyFillMs;
    if (held) {
      facts.bars += 1;
      facts.peak = Math.max(facts.peak, close);
    }
    const cost = held ? view.avgTicks * this.#tick : close;
    cells[CELL.open] = candle.open;
    cells[CELL.high] = candle.high;
    cells[CELL.low] = candle.low;
    cells[CELL.close] = close;
    cells[CELL.volume] = candle.volume;
    cells[CELL.time] = closeMs;
    cells[CELL.held] = held ? 1 : 0;
    cells[CELL.quantity] = held ? view.lots * this.#step : 0;
    cells[CELL.entryPrice] = cost;
    cells[CELL.peak] = held ? facts.peak : close;
    cells[CELL.bars] = held ? facts.bars : 0;
    cells[CELL.gain] = close / cost - 1;
    cells[CELL.stop] = held ? facts.stop * this.#tick : 0;
    cells[CELL.level] = (held ? view.target : 0) + 1;
    const isDue = description.schedule !== undefined && dueSlot(description.schedule, closeMs, facts.usedMs) !== null;
    cells[CELL.due] = isDue ? 1 : 0;
    cells[CELL.asks] = held ? (view.target <= description.addOns && description.addOns > 0 ? 3 : 2) : 1;
    return true;
  }

  /** Reads the answers. A failure leaves stop and target as they are. */
  #take(view: TickView): void {
    const cells = this.#file.cells;
    const { stop, target } = this.#input.description;
    const facts = this.#facts;
    const held = cells[CELL.held] === 1;
    this.#entry = cells[CELL.entry] ?? -1;
    this.#exit = cells[CELL.exit] ?? -1;
    const buys = this.#input.answers.buys(this.#entry);
    this.#failed = this.#series.ready ? this.#problem(held || buys) : '';
    if (this.#failed !== '' || !this.#series.ready || (!held && !buys)) return;
    const close = cells[CELL.close] ?? 0;
    const stopTicks = stop === undefined ? 0 : Math.max(0, snapDown((cells[CELL.stopAnswer] ?? 0) / this.#tick));
    const targetTicks = target === undefined ? 0 : Math.max(0, snapUp((cells[CELL.targetAnswer] ?? 0) / this.#tick));
    if (!held) {
      facts.stopShare = Math.max(0, (cells[CELL.stopAnswer] ?? 0) / close) || 0;
      facts.entryTarget = targetTicks;
      return;
    }
    if (!view.sellable) return;
    facts.stop = Math.max(facts.stop, stopTicks);
    if (target !== undefined) facts.target = targetTicks;
    if (buys) facts.stopShare = 0;
  }

  /** The problem of the answers; empty when there is none. */
  #problem(hasLevels: boolean): string {
    const cells = this.#file.cells;
    if (cells[CELL.failed] === 1) return this.#file.problem();
    return hasLevels ? levelProblem(this.#input.description, cells) : '';
  }

  async #answerQueued(view: TickView): Promise<void> {
    const file = this.#file;
    for (let next = this.#queued.shift(); next !== undefined; next = this.#queued.shift()) {
      if (!isDistant(file) || !this.#begin(next, view)) continue;
      await file.later();
      this.#take(view);
    }
  }

  #decideHeld(view: TickView): Decision {
    const { answers, description } = this.#input;
    const { host } = answers;
    if (!this.#input.sells) return host['hold-sell-disabled'];
    if (view.exitOrderOpen) return host['hold-exit-order-open'];
    const { stop, target } = this.#facts;
    if (stop > 0 && view.price <= stop) return host['stop-reached'];
    if (target > 0 && view.price >= target) return host['target-reached'];
    if (this.#input.exitsInBear && view.regime === -1) return host['exit-regime'];
    if (this.#facts.actionMs === this.#series.lastOpenMs) return host['hold-until-candle'];
    if (this.#failed !== '') return host['strategy-failed'];
    const exit = answers.exit(this.#exit, view);
    if (exit !== undefined && exit.kind !== 'nothing') return exit;
    if (view.target > description.addOns || description.addOns === 0) return exit ?? host['hold-until-candle'];
    return this.#decideEntry(view);
  }

  #decideEntry(view: TickView): Decision {
    const { answers, buys, queueing, interval, halted } = this.#input;
    const { host } = answers;
    const { waiting } = view;
    const { lastOpenMs } = this.#series;
    const lengthMs = INTERVAL_MS[interval];
    if (view.entryOrderOpen) {
      if (waiting === null) return host['order-entry-open'];
      if (!buys) return host['order-entry-condition-gone'];
      const { timeoutBars } = queueing;
      const late = timeoutBars > 0 && barsSince(waiting.placedMs, lastOpenMs, lengthMs) >= timeoutBars;
      return host[late ? 'order-entry-timeout' : 'order-entry-open'];
    }
    if (!buys) return host['entry-disabled'];
    if (!view.readable) return host['entry-config-unreadable'];
    const stopped = halted();
    if (stopped !== null) return host[stopped.reason];
    if (!this.#series.ready) return host['entry-history-short'];
    if (this.#failed !== '') return host['strategy-failed'];
    if (!answers.buys(this.#entry)) return answers.entry(this.#entry, view.target);
    if (this.#facts.actionMs >= 0 && this.#facts.actionMs === lastOpenMs) return host['entry-already-this-candle'];
    if (view.nowMs >= lastOpenMs + 2 * lengthMs) return host['entry-candle-late'];
    const decision = answers.entry(this.#entry, view.target);
    return queueing.maker && decision.kind === 'buy'
      ? { ...decision, form: makerForm(queueing, view.price) }
      : decision;
  }
}
