import type { Interval } from '#core/market/candle.ts';
import type { BacktestInput } from '#backtest/run.ts';

/** What cannot be run: a sentence for the operator, and no reason to try again. */
export class ResearchRefused extends Error {}

/** Everything that a run needs, its candles by their place: what a thread is handed, which unpacks them itself. */
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
