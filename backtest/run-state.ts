import type { SymbolRules } from '#core/market/symbol.ts';
import type { BoundStrategy, StrategyInstance, TickView } from '#strategies/strategy.ts';
import type { Book } from './book.ts';
import type { Series } from './columns.ts';
import type { EquityMeter } from './equity.ts';
import type { Terms } from './fills.ts';
import type { AccountView } from './place.ts';
import type { PriceGrid } from './price-grid.ts';
import type { CandlePath } from './resting.ts';
import type { Gates } from '#core/decision/gates.ts';

export interface KernelInput {
  readonly bound: BoundStrategy;
  readonly rules: SymbolRules;
  readonly terms: Terms;
  /** Candles at the interval the strategy needs, with as much before the window as there is. */
  readonly signal: Series;
  /** Candles that decide and fill; never coarser than the signal. */
  readonly detail: Series;
  /** Rows of `detail` that are traded: `start` inclusive, `end` exclusive. */
  readonly start: number;
  readonly end: number;
  /** Candles of every interval that the gates of the settings ask for. */
  readonly gateSeries?: readonly Series[];
  /** Keeps the reason of every candle, one byte each. */
  readonly recordDecisions?: boolean;
  /** Asks the strategy at every candle, also where it could pass many at once: slower, with the same result. */
  readonly stepwise?: boolean;
  /** How a candle went that could have gone two ways; absent: up first. */
  readonly path?: CandlePath;
  /** Asks a strategy that acts on ticks also inside candles, at the prices where it acts; absent: at closes alone. */
  readonly inside?: boolean;
}

/** What the loop and the orders share. `wake` is the range of prices, in quote, in which no waiting order moves. */
export interface Run {
  readonly input: KernelInput;
  readonly view: TickView;
  readonly instance: StrategyInstance;
  readonly feed: CandleFeed;
  readonly book: Book;
  readonly meter: EquityMeter;
  /** Set anew where several coins spend the same money. */
  readonly grid: PriceGrid;
  readonly offGrid: number;
  readonly tick: number;
  readonly decisions: Uint8Array | null;
  readonly wake: { below: number; above: number };
  readonly gates: GateFeed | null;
  account: AccountView | null;
}

/** Gives the strategy its closed candles in order, each once, through one reused object. */
export interface CandleFeed {
  /** Close of the next candle to be given; infinite when there is none. */
  nextCloseMs: number;
  /** Row of that candle. */
  row: number;
  /** Candles given before the window, to warm up. */
  readonly warmUp: number;
  /** Gives every candle that has closed by `view.nowMs`; a number as an argument would be allocated at each call. */
  feedClosed(): void;
  /** The strategy has taken every candle before `row` itself. */
  skipTo(row: number): void;
}

/** The gates of a run, and when the next candle is due to one of them. */
export interface GateFeed {
  readonly gates: Gates;
  nextMs: number;
  feedClosed(): void;
}
