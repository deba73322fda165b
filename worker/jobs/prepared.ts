import type { Interval } from '#core/market/candle.ts';
import type { RobustnessInput } from '#backtest/robustness.ts';
import type { BacktestInput } from '#backtest/run.ts';
import type { ProfileId } from '#core/ids.ts';
import type { RunLimits } from '#core/research/research.ts';
import type { StrategyFile } from '#strategies/strategy.ts';

/** A run that cannot start or continue: the message is for the operator, and a retry does not help. */
export class ResearchRefused extends Error {}

/** The refusal of a run that ended its thread or its process. */
export const USED_ALL_MEMORY =
  'The run was ended because it used all of its memory. A strategy file that keeps ever more values does that.';

/** Input of a run, with the location of its candles; the thread loads them itself. */
export interface Prepared extends Omit<BacktestInput, 'bound' | 'candles' | 'history'> {
  readonly strategyName: string;
  readonly config: unknown;
  /** The strategy file, for a strategy that is one. */
  readonly file?: StrategyFile;
  /** Longer candles that the strategy needs, from before `stored`. */
  readonly longer?: readonly { readonly interval: Interval; readonly fromMs: number }[];
  readonly stored: {
    readonly folder: string;
    readonly symbol: string;
    readonly interval: Interval;
    readonly fromMs: number;
    readonly toMs: number;
  };
}

/** A coin of a dry run with both of its configs, or the sentence why it has no input. */
interface PreparedPair {
  readonly symbol: string;
  readonly quoteAsset: string;
  readonly input: { readonly present: Prepared; readonly changed: Prepared } | { readonly refused: string };
}

/** Input of a dry run. */
export interface DryRunStart {
  readonly profileId: ProfileId;
  readonly coins: readonly PreparedPair[];
  readonly limits?: RunLimits;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Input of a backtest; its coins share a balance. */
export interface BacktestStart {
  readonly inputs: readonly (Prepared & { readonly profileId: ProfileId })[];
  /** Limits that apply to the run. */
  readonly limits?: RunLimits;
  /** Result of the backtest; when set, the robustness report is made instead. */
  readonly result?: RobustnessInput['result'];
}
