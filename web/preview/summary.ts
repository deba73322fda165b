import type { CandleColumns, Interval } from '#core/market/candle.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { Terms } from '#backtest/fills.ts';
import type { BacktestResult } from '#core/research/backtest-result.ts';

/** The past of one coin in the preview worker. */
export interface Past {
  readonly interval: Interval;
  readonly columns: CandleColumns;
  readonly rules: SymbolRules;
  readonly terms: Terms;
}

/** Result of a config on the past; shares are 0.1 for 10 %. */
export interface Summary {
  readonly totalReturn: number;
  /** Null when nothing was bought. */
  readonly returnOnCapital: number | null;
  /** Total return less the return of holding the mean exposure all the time. */
  readonly alpha: number;
  readonly drawdown: number;
  readonly sales: number;
  readonly winRate: number | null;
  readonly fees: number;
  readonly exposure: number;
  /** Equity at the end of each UTC day. */
  readonly days: readonly number[];
  /** Ambiguity band as shares: ambiguous candles against the strategy, as filled, and in its favour. */
  readonly band: BacktestResult['ambiguity'];
}

export type Replay =
  | { readonly kind: 'summary'; readonly summary: Summary }
  | { readonly kind: 'refused'; readonly sentence: string };

export type Config = Readonly<Record<string, unknown>>;

export interface Comparison {
  /** Wall time of the edit alone. */
  readonly tookMs: number;
  readonly saved: Replay;
  readonly edit: Replay;
  /** Buy and hold: equity at the end of each day. */
  readonly holding: readonly number[];
}

export type ToWorker =
  | { readonly kind: 'past'; readonly past: Past }
  | { readonly kind: 'compare'; readonly strategy: string; readonly saved: Config; readonly edit: Config };

export interface FromWorker {
  readonly comparison: Comparison;
}
