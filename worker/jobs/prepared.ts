import type { Interval } from '#core/market/candle.ts';
import type { BacktestInput } from '#backtest/run.ts';

/** A run that cannot start or continue: the message is for the operator, and a retry does not help. */
export class ResearchRefused extends Error {}

/** Input of a run, with the location of its candles; the thread loads them itself. */
export interface Prepared extends Omit<BacktestInput, 'bound' | 'candles' | 'history'> {
  readonly strategyName: string;
  readonly config: unknown;
  readonly stored: {
    readonly folder: string;
    readonly symbol: string;
    readonly interval: Interval;
    readonly fromMs: number;
    readonly toMs: number;
  };
}
