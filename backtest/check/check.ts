import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import { isObject, mergePatch } from '#core/merge.ts';
import { INTERVAL_MS } from '#core/market/candle.ts';
import { randomFrom } from '#core/research/random.ts';
import type { AnyStrategy, BoundStrategy, StrategyInstance } from '#strategies/strategy.ts';
import { aggregateSeries, type Series } from '#backtest/columns.ts';
import { type KernelRun, runKernel } from '#backtest/kernel.ts';
import { checkedRules, checkedWalk, finerThan, otherFuture } from './market.ts';

/** A property of a strategy file, and what contradicts it. */
interface Property {
  readonly name: string;
  readonly passed: boolean;
  readonly sentence: string;
}

interface CheckReport {
  readonly passed: boolean;
  readonly properties: readonly Property[];
  /** Observations that do not fail a check, such as a rule that never answered. */
  readonly remarks: readonly string[];
  readonly seeds: readonly number[];
  readonly candles: number;
  readonly fills: number;
}

/** Values of a setting to try: both ends of its bounds, or all options. */
export interface CheckedBound {
  readonly path: string;
  readonly values: readonly (string | number | boolean)[];
}

/** How a file is checked. `load` evaluates it again, so that nothing hidden in a module is left. */
interface CheckInput {
  readonly load: () => AnyStrategy;
  /** The same file, whose answers have a time limit: it throws a sentence when a rule hangs. */
  readonly probe: AnyStrategy;
  /** Codes of its rules, in order. */
  readonly codes: readonly string[];
  /** Bounds of its numeric settings, by path below `settings`. */
  readonly bounds: readonly CheckedBound[];
  /** False: it has prices in its code, so that the check does not scale them. */
  readonly scales: boolean;
}

const SEEDS = [1, 2, 3] as const;
const MOST_STATE_BYTES = 64 * 1024;
const MOST_QUESTION_MS = 1;
/** A reloaded run is loaded again this often, at most after every seventh candle. */
const RELOADS = 100;
const LEAST_BETWEEN = 7;
const SCALE = 16;
const MOST_ROWS = 40_000;

interface RunOptions {
  readonly config?: unknown;
  readonly scale?: number;
  readonly stepwise?: boolean;
  readonly reload?: () => BoundStrategy;
}

interface Outcome {
  readonly reasons: readonly string[];
  readonly fills: readonly string[];
  readonly run: KernelRun;
  readonly rowsMs: Float64Array;
}

/** Checks a strategy file by properties of generated runs. Deterministic. */
export function checkStrategy(input: CheckInput): CheckReport {
  trade(input.probe, walkFor(input.probe, 0), { stepwise: true });
  const strategy = input.load();
  const remarks: string[] = [];
  const first = SEEDS.map((seed) => ({ seed, walk: walkFor(strategy, seed) }));
  const runs = first.map((each) => ({ ...each, found: trade(strategy, each.walk) }));
  const properties = [
    repeats(input, runs),
    replays(input, runs),
    ignoresFuture(strategy, runs),
    ...(input.scales ? [scales(strategy, runs)] : []),
    coarseAsFine(strategy, runs),
    ordersOnce(strategy, runs),
    numbers(strategy, runs),
    settingsFit(input),
  ];
  const answered = new Set(runs.flatMap(({ found }) => found.reasons));
  for (const code of input.codes)
    if (!answered.has(code)) remarks.push(`The rule ${code} never answered in ${runs.length} runs.`);
  const fills = runs.reduce((sum, { found }) => sum + found.fills.length, 0);
  if (fills === 0) remarks.push('No run made a single order.');
  return {
    passed: properties.every(({ passed }) => passed),
    properties,
    remarks,
    seeds: [...SEEDS],
    candles: runs.reduce((sum, { walk }) => sum + walk.columns.openMs.length, 0),
    fills,
  };
}

type Runs = readonly { readonly seed: number; readonly walk: Series; readonly found: Outcome }[];

/** Enough candles for the indicators, and as many again to trade on. */
function walkFor(strategy: AnyStrategy, seed: number): Series {
  const { needs } = strategy.bind(strategy.config.parse({}));
  const own = INTERVAL_MS[needs.interval];
  const longer = (needs.also ?? []).map(({ interval, want }) => (want * INTERVAL_MS[interval]) / own);
  const finer = finerThan(needs.interval);
  const rows = (Math.max(needs.min, ...longer) + 1500) * (own / INTERVAL_MS[finer]);
  return checkedWalk({ seed, rows: Math.min(MOST_ROWS, rows), interval: finer });
}

const TERMS = { feeRate: requireDecimal('0.001'), slippage: requireDecimal('0.0002') };

/** Amounts of a config, times `scale`. */
function scaledConfig(config: unknown, scale: number): unknown {
  const sizing = isObject(config) ? config['entrySizing'] : undefined;
  const amount = isObject(sizing) ? sizing['amount'] : undefined;
  return mergePatch(config, { entrySizing: { amount: String(Number(amount) * scale) } });
}

function trade(strategy: AnyStrategy, walk: Series, options: RunOptions = {}): Outcome {
  const { scale = 1, stepwise = false, reload } = options;
  const config = options.config ?? strategy.config.parse({ entrySizing: { amount: '100' } });
  const bound = strategy.bind(scale === 1 ? config : scaledConfig(config, scale));
  const signal = aggregateSeries(walk, bound.needs.interval);
  const every = Math.max(LEAST_BETWEEN, Math.ceil(signal.columns.openMs.length / RELOADS));
  const run = runKernel({
    bound:
      reload === undefined
        ? bound
        : { ...bound, create: (grid, state) => reloading(bound.create(grid, state), { grid, reload, every }) },
    rules: checkedRules(scale),
    terms: { ...TERMS, balance: requireDecimal(String(100_000 * scale)) },
    signal,
    detail: walk,
    start: 0,
    end: walk.columns.openMs.length,
    recordDecisions: true,
    stepwise,
  });
  return {
    reasons: Array.from(run.decisions ?? [], (code) => run.reasons[code] ?? ''),
    fills: run.book.fills.map(
      ({ fill, reason }) => `${fill.side} ${formatDecimal(fill.quantity)} ${fill.at.toISOString()} ${reason}`,
    ),
    run,
    rowsMs: walk.columns.openMs,
  };
}

/** Every few candles the instance is replaced by one that was loaded again, from its own state as JSON. */
interface Reloading {
  readonly grid: Parameters<BoundStrategy['create']>[0];
  readonly reload: () => BoundStrategy;
  readonly every: number;
}

/** Every few candles the instance is replaced by one that was loaded again, from its own state as JSON. */
function reloading(begun: StrategyInstance, { grid, reload, every }: Reloading): StrategyInstance {
  let instance = begun;
  let candles = 0;
  return {
    onCandle(candle, view) {
      instance.onCandle(candle, view);
      candles += 1;
      if (candles % every !== 0) return;
      instance = reload().create(grid, JSON.parse(JSON.stringify(instance.state())));
    },
    onFill: (side, view) => instance.onFill(side, view),
    decide: (view) => instance.decide(view),
    explain: (decision, view) => instance.explain(decision, view),
    stopTicks: (view) => instance.stopTicks(view),
    stopReason: (view) => instance.stopReason(view),
    stopMultiple: (view) => instance.stopMultiple?.(view),
    plan: (view) => instance.plan(view),
    state: () => instance.state(),
  };
}

/** The first difference of two runs in words; null when they are equal. */
function difference(one: Outcome, other: Outcome, rows = one.reasons.length): string | null {
  for (let row = 0; row < rows; row += 1)
    if (one.reasons[row] !== other.reasons[row])
      return `candle ${row} (${iso(one.rowsMs[row])}): ${one.reasons[row]} against ${other.reasons[row]}`;
  if (rows < one.reasons.length) return null;
  const at = one.fills.findIndex((fill, i) => fill !== other.fills[i]);
  if (at >= 0 || one.fills.length !== other.fills.length)
    return `order ${Math.max(at, 0) + 1}: ${one.fills[at] ?? 'none'} against ${other.fills[at] ?? 'none'}`;
  return null;
}

const iso = (ms: number | undefined): string => new Date(ms ?? 0).toISOString();

function property(name: string, runs: Runs, contradiction: (run: Runs[number]) => string | null): Property {
  for (const run of runs) {
    const found = contradiction(run);
    if (found !== null) return { name, passed: false, sentence: `Seed ${run.seed}, ${found}.` };
  }
  return { name, passed: true, sentence: '' };
}

const repeats = ({ load }: CheckInput, runs: Runs): Property =>
  property('repeats', runs, ({ walk, found }) => difference(found, trade(load(), walk)));

const replays = ({ load }: CheckInput, runs: Runs): Property =>
  property('continues from its state', runs, ({ walk, found }) => {
    const bindAnew = (): BoundStrategy => {
      const strategy = load();
      return strategy.bind(strategy.config.parse({ entrySizing: { amount: '100' } }));
    };
    return difference(found, trade(load(), walk, { reload: bindAnew, stepwise: true }));
  });

/** After the cut the candles are others. The same loaded file runs both, so that a memory of the first run shows. */
const ignoresFuture = (strategy: AnyStrategy, runs: Runs): Property =>
  property('no look-ahead', runs, ({ seed, walk, found }) => {
    const random = randomFrom(seed);
    const orders = found.run.book.fills.slice(0, 12).map(({ fill }) => rowAt(walk, fill.at.getTime()) + 1);
    const cuts = [...orders, ...Array.from({ length: 4 }, () => Math.floor(random() * found.reasons.length))];
    for (const [i, cut] of cuts.entries()) {
      const other = trade(strategy, otherFuture(walk, cut, 1000 + i));
      const differs = difference(found, other, Math.max(0, cut - 1));
      if (differs !== null) return `with other candles after candle ${cut}, ${differs}`;
    }
    return null;
  });

const rowAt = ({ columns: { openMs } }: Series, ms: number): number => {
  let row = 0;
  while (row + 1 < openMs.length && (openMs[row + 1] ?? 0) <= ms) row += 1;
  return row;
};

const scales = (strategy: AnyStrategy, runs: Runs): Property =>
  property('the same at another price', runs, ({ seed, walk, found }) => {
    const { interval, columns } = walk;
    const rows = columns.openMs.length;
    const scaled = trade(strategy, checkedWalk({ seed, rows, interval, scale: SCALE }), { scale: SCALE });
    const differs = difference(found, scaled);
    return differs === null ? null : `with prices times ${SCALE}, ${differs}`;
  });

const coarseAsFine = (strategy: AnyStrategy, runs: Runs): Property =>
  property('skips only quiet candles', runs, ({ walk, found }) =>
    difference(found, trade(strategy, walk, { stepwise: true })),
  );

const ordersOnce = (strategy: AnyStrategy, runs: Runs): Property =>
  property('one buy for each candle', runs, ({ found }) => {
    const { interval } = strategy.bind(strategy.config.parse({})).needs;
    const lengthMs = INTERVAL_MS[interval];
    let lastMs = -1;
    for (const { fill } of found.run.book.fills.filter((each) => each.fill.side === 'buy')) {
      const openMs = fill.at.getTime() - (fill.at.getTime() % lengthMs);
      if (openMs === lastMs) return `two buys in the candle of ${iso(openMs)}`;
      lastMs = openMs;
    }
    return null;
  });

/** No failed answers, a bounded state, and a bounded time. */
function numbers(strategy: AnyStrategy, runs: Runs): Property {
  return property('finite numbers, small state', runs, ({ walk, found }) => {
    const failed = found.reasons.indexOf('strategy-failed');
    if (failed >= 0) return `candle ${failed}: ${problemAt(strategy, walk, failed)}`;
    const { bytes, msPerCandle } = measureState(strategy, walk);
    if (bytes > MOST_STATE_BYTES) return `its state has ${bytes} bytes, more than ${MOST_STATE_BYTES}`;
    if (msPerCandle > MOST_QUESTION_MS)
      return `a candle takes ${msPerCandle.toFixed(2)} ms, more than ${MOST_QUESTION_MS}`;
    return null;
  });
}

/** The sentence of the failure at a row. */
function problemAt(strategy: AnyStrategy, walk: Series, row: number): string {
  let said = '';
  const bound = strategy.bind(strategy.config.parse({ entrySizing: { amount: '100' } }));
  const watching: BoundStrategy = {
    ...bound,
    create(grid, state) {
      const instance = bound.create(grid, state);
      const { onCandle, decide, explain } = {
        onCandle: instance.onCandle.bind(instance),
        decide: instance.decide.bind(instance),
        explain: instance.explain.bind(instance),
      };
      return {
        onCandle,
        onFill: instance.onFill.bind(instance),
        decide(view) {
          const decision = decide(view);
          if (said === '' && decision.reason === 'strategy-failed') said = String(explain(decision, view)['problem']);
          return decision;
        },
        explain,
        stopTicks: instance.stopTicks.bind(instance),
        stopReason: instance.stopReason.bind(instance),
        stopMultiple: (view) => instance.stopMultiple?.(view),
        plan: instance.plan.bind(instance),
        state: instance.state.bind(instance),
      };
    },
  };
  const { rules, terms } = { rules: checkedRules(1), terms: { ...TERMS, balance: requireDecimal('100000') } };
  const signal = aggregateSeries(walk, bound.needs.interval);
  runKernel({ bound: watching, rules, terms, signal, detail: walk, start: 0, end: row + 1, stepwise: true });
  return said;
}

function measureState(strategy: AnyStrategy, walk: Series): { bytes: number; msPerCandle: number } {
  let bytes = 0;
  const bound = strategy.bind(strategy.config.parse({}));
  const signal = aggregateSeries(walk, bound.needs.interval);
  const created: StrategyInstance[] = [];
  const watching: BoundStrategy = {
    ...bound,
    create(grid, state) {
      const instance = bound.create(grid, state);
      created.push(instance);
      return instance;
    },
  };
  const startedMs = performance.now();
  const terms = { ...TERMS, balance: requireDecimal('100000') };
  const end = walk.columns.openMs.length;
  runKernel({ bound: watching, rules: checkedRules(1), terms, signal, detail: walk, start: 0, end });
  const msPerCandle = (performance.now() - startedMs) / Math.max(1, signal.columns.openMs.length);
  for (const instance of created) bytes = Math.max(bytes, JSON.stringify(instance.state()).length);
  return { bytes, msPerCandle };
}

/** At both ends of each bound the file loads, declares its indicators and does not throw. */
function settingsFit({ load, bounds }: CheckInput): Property {
  const name = 'works at the bounds of its settings';
  const strategy = load();
  for (const { path, values } of bounds)
    for (const value of values) {
      try {
        const config = strategy.config.parse({ settings: { [path]: value } });
        const { needs } = strategy.bind(config);
        const walk = checkedWalk({ seed: 5, rows: Math.min(3000, needs.min + 300), interval: needs.interval });
        const failed = trade(strategy, walk, { config }).reasons.indexOf('strategy-failed');
        if (failed >= 0) return { name, passed: false, sentence: `With ${path} = ${value}, candle ${failed} failed.` };
      } catch (error) {
        const said = error instanceof Error ? error.message : String(error);
        return { name, passed: false, sentence: `With ${path} = ${value}: ${said.slice(0, 300)}` };
      }
    }
  return { name, passed: true, sentence: '' };
}
