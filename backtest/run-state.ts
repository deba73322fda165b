import type { ListedSignal } from '#core/order/signal-list.ts';
import type { LevelFill } from '#core/position/levels.ts';
import type { Position } from '#core/position/position.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { BoundStrategy, StrategyInstance } from '#strategies/strategy.ts';
import type { Book } from './book.ts';
import type { Series } from './columns.ts';
import type { EquityMeter } from './equity.ts';
import type { Terms } from './fills.ts';
import type { PriceGrid } from './price-grid.ts';
import type { CandlePath } from './resting.ts';
import type { BookSituation } from './situation.ts';
import type { Gates } from '#core/decision/gates.ts';
import type { TickView } from '#core/judge/view.ts';

export interface KernelInput {
  readonly bound: BoundStrategy;
  readonly rules: SymbolRules;
  readonly terms: Terms;
  /** Candles at the interval of the strategy, with all available history before the window. */
  readonly signal: Series;
  /** Detail candles, for decisions and fills; never coarser than the signal. */
  readonly detail: Series;
  /** Traded rows of `detail`: `start` inclusive, `end` exclusive. */
  readonly start: number;
  readonly end: number;
  /** Candles of every interval that the gates need. */
  readonly gateSeries?: readonly Series[];
  /** Longer candles that the strategy needs before its own ones: `also` of its needs. */
  readonly longer?: readonly Series[];
  /** Recorded signals, for a strategy that acts on them. */
  readonly signals?: readonly ListedSignal[];
  /** The coin at the start of the window; absent: it never traded. */
  readonly opening?: Opening;
  /** Records the reason of every candle, one byte each. */
  readonly recordDecisions?: boolean;
  /** Decides at every candle instead of skipping quiet ones: slower, same result. */
  readonly stepwise?: boolean;
  /** Path of a candle that allows two outcomes; absent: rise first. */
  readonly path?: CandlePath;
  /** A strategy that acts on ticks also decides inside candles, at the prices where it acts; absent: only at closes. */
  readonly inside?: boolean;
}

/** A coin that is taken over, as live trading does when it starts: its position, and the state of its strategy. */
export interface Opening {
  readonly position: Position;
  readonly levels: readonly LevelFill[];
  /** As the engine stores it; read by readStoredState. */
  readonly state: unknown;
}

/** State of one coin. Within the range `wake`, in quote, no resting order changes. */
export interface Run {
  readonly input: KernelInput;
  readonly view: TickView;
  readonly instance: StrategyInstance;
  readonly feed: CandleFeed;
  readonly book: Book;
  readonly meter: EquityMeter;
  readonly grid: PriceGrid;
  readonly offGrid: number;
  readonly tick: number;
  readonly decisions: Uint8Array | null;
  readonly wake: { below: number; above: number };
  readonly gates: GateFeed | null;
  readonly situation: BookSituation;
}

/** Feeds the closed candles to the strategy in order, each once, through one reused object. */
export interface CandleFeed {
  /** Close of the next candle to feed; infinite when there is none. */
  nextCloseMs: number;
  /** Row of that candle. */
  row: number;
  /** Warm-up candles before the window. */
  readonly warmUp: number;
  /** Feeds every candle that has closed by `view.nowMs`. A number as argument would be allocated at each call. */
  feedClosed(): void;
  /** The strategy has processed every candle before `row` already. */
  skipTo(row: number): void;
}

/** The gates of a run, and the time of the next candle for one of them. */
export interface GateFeed {
  readonly gates: Gates;
  nextMs: number;
  feedClosed(): void;
}
