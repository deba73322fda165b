import type { z } from 'zod';
import type { Changes } from '#core/config-path.ts';
import type { Planner } from '#core/sizing/basket.ts';
import type { Candle, Interval } from '#core/market/candle.ts';
import type { Decision, Numbers, ReasonText } from '#core/decision/decision.ts';
import { type Decimal, fromNumber, multiply, toNumber } from '#core/amount/decimal.ts';
import type { EntryTerms, LevelBudget } from '#core/sizing/entry-size.ts';
import type { GateSettings } from '#core/decision/gates.ts';
import type { StopSettings } from '#core/sizing/protective-stop.ts';
import { EXIT_MARGIN } from '#core/sizing/sizing.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { TickView } from '#core/judge/view.ts';
import { readStored } from './stored.ts';
import type { RecordedRun, SweptMarket, SweptRun } from './sweep.ts';

/** Quote price of one tick and base quantity of one lot. */
export interface Grid {
  readonly tick: Decimal;
  readonly step: Decimal;
  /** Minimum value of a partial sale and of its rest, in lots times ticks; absent: no minimum. */
  readonly minWorth?: number;
}

/** The grid of a coin. An exit keeps a margin over the minimum order value. */
export const gridOf = ({ price: { tick }, lot: { step }, notional }: SymbolRules): Grid => ({
  tick,
  step,
  minWorth: toNumber(multiply(notional.min, EXIT_MARGIN)) / toNumber(tick) / toNumber(step),
});

/** A level of the chart at which the strategy acts next, in ticks. */
export interface PlanLine {
  readonly name: 'stop' | 'trail' | 'arm' | 'entry' | 'cost' | 'floor' | 'part' | 'target';
  readonly ticks: number;
}

/** A line that a chart draws over the candles, or in a pane below them. */
export interface DrawnLine {
  readonly name: string;
  /** As a legend shows it: `EMA 9, fast`. */
  readonly label: string;
  readonly dash: 'solid' | 'dashed' | 'dotted';
  /** `close`: the close of a candle sets its value. `open`: in force during the candle, drawn as steps. */
  readonly from: 'close' | 'open';
  /** The strategy acts at this price: drawn like the levels of its plan. */
  readonly acts: boolean;
  /** The pane below the candles; lines of one pane share a scale. Absent: over the candles, with quote prices as values. */
  readonly pane?: string;
}

/** Lines and levels of a strategy on a chart. */
export interface Drawings {
  readonly lines: readonly DrawnLine[];
  /** Labels of the levels of its plan, by name. */
  readonly levels: Readonly<Partial<Record<PlanLine['name'], string>>>;
}

/** Values of drawn lines now, by name, in quote prices unless the line has a pane; a line without a value has a gap. */
export type DrawnValues = Readonly<Record<string, number>>;

/** The price range without a new decision. The strategy acts at `below` or lower and at `above` or higher. In ticks. */
export interface Reach {
  below: number;
  above: number;
}

/** Candles of a backtest on which no order can fill, as columns. One object is reused. */
export interface CandleRun {
  readonly openMs: Float64Array;
  /** Quote prices and base volume, and prices in ticks. */
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  readonly volume: Float64Array;
  readonly closeTicks: Float64Array;
  readonly lowTicks: Float64Array;
  /** True: each row is also a closed candle of the strategy's interval. False: none closes in the run. */
  readonly candles: boolean;
  /** Rows `from` to `to`, `to` exclusive. */
  from: number;
  to: number;
  /** The decision before `from`, and whether the run must end when the stop moves. */
  answer: Decision;
  guarded: boolean;
  /** The strategy also acts inside candles: the run must end (`to`) before one that crosses its reach. */
  readonly inside: boolean;
}

/** A running strategy for one (profile, symbol). Pure: no I/O, clock, randomness or logging. */
export interface StrategyInstance {
  /** Feeds the next closed candle; older or repeated candles are ignored. O(1). */
  onCandle(candle: Candle, view: TickView): void;
  /** A closed candle of `CandleNeed.also`, from before the first candle of the strategy's own interval. */
  onLongerCandle?(interval: Interval, candle: Candle): void;
  /**
   * For a strategy that runs in another process: the answers about the candles of `onCandle`. The engine waits for them
   * before it decides. Undefined when there is nothing to wait for. Never rejects.
   */
  settle?(view: TickView): Promise<void> | undefined;
  /** A fill changed the position: recompute dependent state. `view` already holds the new position. */
  onFill(side: 'buy' | 'sell', view: TickView): void;
  decide(view: TickView): Decision;
  /**
   * Processes a run like `onCandle` and `decide`, as long as the decision stays the same. Returns the row whose candle was
   * processed and needs a decision; `to` when there is none; -1 when it cannot skip. Absent: it never skips.
   */
  skipQuietCandles?(view: TickView, run: CandleRun): number;
  /** For a strategy that acts on ticks: writes the price range within which it does nothing. */
  reach?(view: TickView, into: Reach): void;
  /** The numbers behind `decision`, computed on demand. */
  explain(decision: Decision, view: TickView): Numbers;
  /** Current highest stop level, in ticks; 0 when there is none. */
  stopTicks(view: TickView): number;
  /** Name of the level that `stopTicks` returned, as the reason of a sale there. */
  stopReason(view: TickView): string;
  /** Fixed price at which it sells the whole position, in ticks; 0 without one, and while only a part is sold there. */
  targetTicks?(view: TickView): number;
  /** The reason of a sale at `targetTicks`. */
  readonly targetReason?: string;
  /** Stop of an entry now, as a share of its price; absent or undefined: the stop of the settings. */
  stopMultiple?(view: TickView): number | undefined;
  plan(view: TickView): readonly PlanLine[];
  /** Values of the lines that its strategy declares as drawings. Absent: it draws none. */
  draw?(view: TickView): DrawnValues;
  /** For a coin in a basket: its score, and the candle of the last plan. */
  readonly ranking?: { score(): number | null; planMs(): number; planned(atMs: number): void };
  /** Plain JSON, versioned; input of `create`. */
  state(): unknown;
}

export interface CandleNeed {
  readonly interval: Interval;
  /** Closed candles before entries are possible. */
  readonly min: number;
  /** Closed candles to load as warm-up. */
  readonly want: number;
  /** Longer candles to load once, before the own ones. */
  readonly also?: readonly { readonly interval: Interval; readonly want: number }[];
}

/** Settings of the engine that every strategy has, read from the strategy's config. */
export interface SharedSettings extends EntryTerms {
  readonly lossCooldownMs: number;
  /** Settings of the stop on the exchange; absent without one. */
  readonly protectiveStop?: StopSettings;
  /** Additional conditions for a buy; absent without gates. */
  readonly gates?: GateSettings;
}

/** The settings for an entry now. A stop that depends on the market replaces the fixed one. */
export function settingsNow(shared: SharedSettings, instance: StrategyInstance, view: TickView): SharedSettings {
  const multiple = instance.stopMultiple?.(view);
  return multiple === undefined ? shared : { ...shared, stopMultiple: fromNumber(multiple) };
}

/** A remark about a valid config, shown next to the setting at `path`. */
export interface Finding {
  readonly level: 'warn' | 'info';
  readonly code: string;
  readonly path: string;
  readonly message: string;
  /** Changes that remove the cause, and the words of the button that applies them. */
  readonly fix?: { readonly words: string; readonly changes: Changes };
}

/** A config as its strategy reads it. */
export interface SweptConfig<Config> {
  readonly config: Config;
  readonly readable: boolean;
  readonly shared: SharedSettings;
  readonly needs: CandleNeed;
}

/** Runs many configs in one pass over the candles, with the fills and the equity of the backtest kernel, to the last bit. */
export interface Sweep<Config> {
  /** The feature of a config that `run` does not support; undefined when it supports all of it. */
  unsupported(config: Config): string | undefined;
  /** One entry per config, in their order; undefined where the kernel must run it. */
  run(market: SweptMarket, configs: readonly SweptConfig<Config>[]): (SweptRun | undefined)[];
  /** Runs one config and records its fills; undefined where the kernel must run it. */
  record(market: SweptMarket, config: SweptConfig<Config>): RecordedRun | undefined;
}

/** A sweep whose config type is hidden; it reads stored configs. */
interface AnySweep {
  unsupported(stored: unknown): string | undefined;
  run(market: SweptMarket, stored: readonly unknown[]): (SweptRun | undefined)[];
}

export interface Strategy<Config> {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  /** It acts at any price, not only at closes. A backtest needs finer candles, and an instance has a `reach`. */
  readonly actsOnTicks?: boolean;
  /** It acts on the signal of the view. */
  readonly takesSignals?: boolean;
  readonly config: z.ZodType<Config>;
  /**
   * Warnings about settings without effect or with contradictions. Pure, so that form and save show the same. Absent: none.
   * `coins`: those of the profile, when known.
   */
  lint?(config: Config, takerFee: number, coins?: readonly string[]): readonly Finding[];
  /** Plans over all coins of a profile together; absent when each coin is separate. With a planner, overrides do not apply. */
  planner?(config: Config): Planner;
  /** Share of a coin in the budget of its basket; null without a budget. */
  basketShare?(config: Config, symbol: string): LevelBudget | null;
  /** Lines and levels of a chart, in the file `drawings.ts` of the strategy. Absent: none. */
  drawings?(config: Config): Drawings;
  needs(config: Config): CandleNeed;
  sharedSettings(config: Config): SharedSettings;
  create(config: Config, grid: Grid, state?: unknown): StrategyInstance;
  /** Runs many configs at once, for sweeps. Absent: each runs in the kernel. */
  readonly sweep?: Sweep<Config>;
  readonly reasons: Readonly<Record<string, ReasonText>>;
}

export interface StrategyFile {
  readonly name: string;
  readonly text: string;
}

/** A strategy whose config type is hidden, as the registry holds it. */
export interface AnyStrategy {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly config: z.ZodType;
  readonly reasons: Readonly<Record<string, ReasonText>>;
  /** It plans over all coins of a profile together. */
  readonly plansBaskets?: boolean;
  /** See {@link Strategy.actsOnTicks}. */
  readonly actsOnTicks?: boolean;
  /** See {@link Strategy.takesSignals}. */
  readonly takesSignals?: boolean;
  /** See {@link Strategy.sweep}. */
  readonly sweep?: AnySweep;
  /** For a strategy file: its name and text, so that a thread can load the same version. */
  readonly file?: StrategyFile;
  /** For a strategy that runs in another process: fetches what `bind` depends on. Never rejects. */
  prepare?(stored: unknown): Promise<void>;
  /** Reads a stored (merged) config and binds everything that depends on it. */
  bind(stored: unknown): BoundStrategy;
}

export interface BoundStrategy {
  readonly name: string;
  readonly title: string;
  readonly readable: boolean;
  readonly unreadablePath: string | null;
  readonly needs: CandleNeed;
  /** See {@link Strategy.actsOnTicks}. */
  readonly actsOnTicks?: boolean;
  /** See {@link Strategy.takesSignals}. */
  readonly takesSignals?: boolean;
  readonly shared: SharedSettings;
  readonly drawings?: Drawings;
  readonly reasons: Readonly<Record<string, ReasonText>>;
  readonly planner?: Planner;
  /** See {@link Strategy.basketShare}. */
  basketShare?(symbol: string): LevelBudget | null;
  lint(takerFee: number, coins?: readonly string[]): readonly Finding[];
  create(grid: Grid, state?: unknown): StrategyInstance;
  /** See {@link Sweep.record}. Absent: only the kernel runs it. */
  record?(market: SweptMarket): RecordedRun | undefined;
}

const sweptConfig = <Config>(
  strategy: Strategy<Config>,
  { config, readable }: Pick<SweptConfig<Config>, 'config' | 'readable'>,
): SweptConfig<Config> => ({
  ...{ config, readable, shared: strategy.sharedSettings(config), needs: strategy.needs(config) },
});

const anySweep = <Config>(strategy: Strategy<Config>, sweep: Sweep<Config>): AnySweep => ({
  unsupported: (stored) => sweep.unsupported(readStored(strategy.config, stored).config),
  run: (market, stored) =>
    sweep.run(
      market,
      stored.map((one) => sweptConfig(strategy, readStored(strategy.config, one))),
    ),
});

/** Hides the config type of a strategy so that strategies of different configs share one registry. */
export function anyStrategy<Config>(strategy: Strategy<Config>): AnyStrategy {
  const { name, title, summary, config, reasons, sweep } = strategy;
  return {
    name,
    title,
    summary,
    config,
    reasons,
    plansBaskets: strategy.planner !== undefined,
    actsOnTicks: strategy.actsOnTicks === true,
    takesSignals: strategy.takesSignals === true,
    ...(sweep && { sweep: anySweep(strategy, sweep) }),
    bind(stored) {
      const read = readStored(strategy.config, stored);
      const planner = strategy.planner?.(read.config);
      const drawings = strategy.drawings?.(read.config);
      const path = read.unreadablePath;
      return {
        name,
        title: strategy.title,
        readable: read.readable,
        unreadablePath: path ?? null,
        needs: strategy.needs(read.config),
        actsOnTicks: strategy.actsOnTicks === true,
        takesSignals: strategy.takesSignals === true,
        shared: strategy.sharedSettings(read.config),
        ...(drawings && { drawings }),
        reasons,
        ...(planner && { planner }),
        basketShare: (symbol) => strategy.basketShare?.(read.config, symbol) ?? null,
        lint: (takerFee, coins) => strategy.lint?.(read.config, takerFee, coins) ?? [],
        create(grid, state) {
          const instance = strategy.create(read.config, grid, state);
          if (path === undefined) return instance;
          return { ...instance, explain: (decision, view) => ({ ...instance.explain(decision, view), path }) };
        },
        ...(sweep && { record: (market) => sweep.record(market, sweptConfig(strategy, read)) }),
      };
    },
  };
}
