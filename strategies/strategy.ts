import type { z } from 'zod';
import type { BasketTurn, Planner } from '#core/sizing/basket.ts';
import type { Candle, Interval } from '#core/market/candle.ts';
import type { Decision, Numbers, ReasonText } from '#core/decision/decision.ts';
import { type Decimal, fromNumber, multiply, toNumber } from '#core/amount/decimal.ts';
import type { EntryTerms, LevelBudget } from '#core/sizing/entry-size.ts';
import type { GateSettings } from '#core/decision/gates.ts';
import type { StopSettings } from '#core/sizing/protective-stop.ts';
import type { Regime } from '#core/decision/regime.ts';
import { EXIT_MARGIN } from '#core/sizing/sizing.ts';
import type { SymbolRules } from '#core/market/symbol.ts';

/**
 * What a strategy sees on one tick. One object per instance is reused: never keep it. Prices are whole ticks in float64,
 * quantities whole lots; wallet, caps, halts and filters are the engine's.
 */
export interface TickView {
  nowMs: number;
  price: number;
  priceAgeMs: number;
  lots: number;
  /** Most lots held in this cycle. */
  peakLots: number;
  /** Average entry price in ticks, fractional; 0 when flat. */
  avgTicks: number;
  /** The position can be sold under the coin's rules; else entry rules treat it as flat. */
  sellable: boolean;
  firstBuyFillMs: number;
  cycle: number;
  /** The buy level whose turn it is: 0 for the first buy, as many as there are levels when all are used. */
  target: number;
  entryOrderOpen: boolean;
  /** The buy that waits on the exchange; null when there is none, or its fate is not certain. */
  waiting: WaitingEntry | null;
  exitOrderOpen: boolean;
  /** The daily trend: 1 rising, -1 falling, 0 neither, 2 not known or not asked. */
  regime: Regime;
  /** A technical rating needsDecision to take a profit. */
  ratingSells: boolean;
  /** What the plan of the basket needsDecision of this coin; null outside of a basket. */
  basket: BasketTurn | null;
  takerFee: number;
  makerFee: number;
  /** False when a stored setting has the wrong type: entries are refused, exits run. */
  readable: boolean;
}

/** A buy in the book; prices in ticks. */
interface WaitingEntry {
  readonly level: number;
  /** 0 for one that waits at its limit. */
  readonly stop: number;
  readonly limit: number;
  readonly placedMs: number;
  /** It has been set off, or has filled in part. */
  readonly touched: boolean;
}

/** Size of the grid: quote price of one tick and base quantity of one lot, exact text for explanations. */
export interface Grid {
  readonly tick: Decimal;
  readonly step: Decimal;
  /** What a partial sale and what it leaves must be worth, in lots times ticks; absent: anything. */
  readonly minWorth?: number;
}

/** The grid of a coin; an exit keeps some head room over the exchange's minimum. */
export const gridOf = ({ price: { tick }, lot: { step }, notional }: SymbolRules): Grid => ({
  tick,
  step,
  minWorth: toNumber(multiply(notional.min, EXIT_MARGIN)) / toNumber(tick) / toNumber(step),
});

/** A line the chart draws: what a strategy will do next, in ticks. */
export interface PlanLine {
  readonly name: 'stop' | 'trail' | 'arm' | 'entry' | 'cost' | 'floor' | 'part';
  readonly ticks: number;
}

/** The prices between which a strategy keeps its answer: at `below` or lower, and at `above` or higher, it acts. In ticks. */
export interface Reach {
  below: number;
  above: number;
}

/** Candles of a backtest on which no order can fill, as columns; one object is reused. */
export interface CandleRun {
  readonly openMs: Float64Array;
  /** Quote prices, and the same in ticks. */
  readonly high: Float64Array;
  readonly close: Float64Array;
  readonly closeTicks: Float64Array;
  readonly lowTicks: Float64Array;
  /** Each row is also a closed candle of the strategy's interval; else none closes in the run. */
  readonly candles: boolean;
  /** Rows `from` to `to`, `to` exclusive. */
  from: number;
  to: number;
  /** What was answered before `from`, and whether the run must end where the stop moves. */
  answer: Decision;
  guarded: boolean;
  /** The strategy also acts inside candles: the run must end (`to`) before one that crosses its reach. */
  readonly inside: boolean;
}

/** A running strategy for one (profile, symbol). Pure: no I/O, clock, randomness or logging. */
export interface StrategyInstance {
  /** Feeds the next closed candle; older or repeated candles are ignored. O(1). */
  onCandle(candle: Candle, view: TickView): void;
  /** A fill has changed the position: recompute what hangs on it. `view` already holds the new position. */
  onFill(side: 'buy' | 'sell', view: TickView): void;
  decide(view: TickView): Decision;
  /**
   * Goes through a run as `onCandle` and `decide` would, as long as the answer stays the same: the row whose candle
   * was taken and needsDecision for a decision, `to` when there is none, -1 to be asked candle by candle. Absent: always that.
   */
  skipQuietCandles?(view: TickView, run: CandleRun): number;
  /** Of a strategy that acts on ticks: writes the range of prices within which it does nothing. */
  reach?(view: TickView, into: Reach): void;
  /** The numbers behind `decision`, computed on demand. */
  explain(decision: Decision, view: TickView): Numbers;
  /** Highest stop level held now, in ticks; 0 when there is none. */
  stopTicks(view: TickView): number;
  /** Which of its levels the stop is that `stopTicks` just answered, as the reason of a sale there. */
  stopReason(view: TickView): string;
  /** Where the stop of an entry now would lie, as a share of its price; absent or undefined: where the settings say. */
  stopMultiple?(view: TickView): number | undefined;
  plan(view: TickView): readonly PlanLine[];
  /** Of a coin in a basket: how strong it is, and which candle the last plan was made for. */
  readonly ranking?: { score(): number | null; planMs(): number; planned(atMs: number): void };
  /** Plain JSON, versioned; `create` takes it back. */
  state(): unknown;
}

export interface CandleNeed {
  readonly interval: Interval;
  /** Closed candles before entries are possible. */
  readonly min: number;
  /** Closed candles to load as warm-up. */
  readonly want: number;
}

/** Settings every strategy shares with the engine, read from wherever the strategy mounts them. */
export interface SharedSettings extends EntryTerms {
  readonly lossCooldownMs: number;
  /** How the stop rests on the exchange; absent when none may. */
  readonly protectiveStop?: StopSettings;
  /** What else must agree before a buy; absent when nothing is asked. */
  readonly gates?: GateSettings;
}

/** The settings as they are for an entry now: a stop that hangs on the market takes the place of the fixed one. */
export function settingsNow(shared: SharedSettings, instance: StrategyInstance, view: TickView): SharedSettings {
  const multiple = instance.stopMultiple?.(view);
  return multiple === undefined ? shared : { ...shared, stopMultiple: fromNumber(multiple) };
}

/** A remark about a legal config, shown beside the setting at `path`. */
export interface Finding {
  readonly level: 'warn' | 'info';
  readonly code: string;
  readonly path: string;
  readonly message: string;
}

export interface Strategy<Config> {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  /** It acts at any price, not only when a candle closes: a backtest needs finer candles, and an instance has a `reach`. */
  readonly actsOnTicks?: boolean;
  readonly config: z.ZodType<Config>;
  /** Live tick: fills absent fields, never rejects, never rewrites; `readable` is false when a field has the wrong type. */
  readStoredConfig(stored: unknown): {
    readonly config: Config;
    readonly readable: boolean;
    readonly unreadablePath?: string;
  };
  /**
   * Settings that do nothing or contradict each other; pure, so that form and save say the same. Absent: nothing to say.
   * `coins`: those of the profile, where they are known.
   */
  lint?(config: Config, takerFee: number, coins?: readonly string[]): readonly Finding[];
  /** Plans over all coins of a profile at once; absent where each coin is for itself. Overrides then do not apply. */
  planner?(config: Config): Planner;
  /** What a buy of a coin may spend of the budget of its basket; null where no budget bounds it. */
  basketShare?(config: Config, symbol: string): LevelBudget | null;
  needs(config: Config): CandleNeed;
  sharedSettings(config: Config): SharedSettings;
  create(config: Config, grid: Grid, state?: unknown): StrategyInstance;
  readonly reasons: Readonly<Record<string, ReasonText>>;
}

/** A strategy whose config type is hidden, as the registry holds it. */
export interface AnyStrategy {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly config: z.ZodType;
  readonly reasons: Readonly<Record<string, ReasonText>>;
  /** It plans over all coins of a profile at once. */
  readonly plansBaskets?: boolean;
  /** See {@link Strategy.actsOnTicks}. */
  readonly actsOnTicks?: boolean;
  /** Reads a stored (merged) config and binds everything that depends on it. */
  bind(stored: unknown): BoundStrategy;
}

export interface BoundStrategy {
  readonly name: string;
  readonly readable: boolean;
  readonly unreadablePath: string | null;
  readonly needs: CandleNeed;
  /** See {@link Strategy.actsOnTicks}. */
  readonly actsOnTicks?: boolean;
  readonly shared: SharedSettings;
  readonly reasons: Readonly<Record<string, ReasonText>>;
  readonly planner?: Planner;
  /** See {@link Strategy.basketShare}. */
  basketShare?(symbol: string): LevelBudget | null;
  lint(takerFee: number, coins?: readonly string[]): readonly Finding[];
  create(grid: Grid, state?: unknown): StrategyInstance;
}

/** Hides the config type of a strategy so that strategies of different configs share one registry. */
export function anyStrategy<Config>(strategy: Strategy<Config>): AnyStrategy {
  const { name, title, summary, config, reasons } = strategy;
  return {
    name,
    title,
    summary,
    config,
    reasons,
    plansBaskets: strategy.planner !== undefined,
    actsOnTicks: strategy.actsOnTicks === true,
    bind(stored) {
      const read = strategy.readStoredConfig(stored);
      const planner = strategy.planner?.(read.config);
      const path = read.unreadablePath;
      return {
        name,
        readable: read.readable,
        unreadablePath: path ?? null,
        needs: strategy.needs(read.config),
        actsOnTicks: strategy.actsOnTicks === true,
        shared: strategy.sharedSettings(read.config),
        reasons,
        ...(planner && { planner }),
        basketShare: (symbol) => strategy.basketShare?.(read.config, symbol) ?? null,
        lint: (takerFee, coins) => strategy.lint?.(read.config, takerFee, coins) ?? [],
        create(grid, state) {
          const instance = strategy.create(read.config, grid, state);
          if (path === undefined) return instance;
          return { ...instance, explain: (decision, view) => ({ ...instance.explain(decision, view), path }) };
        },
      };
    },
  };
}
