import { toNumber } from '#core/decimal.ts';
import { aggregateSeries, type Series } from '#backtest/columns.ts';
import { runBacktest } from '#backtest/run.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { Past, Replay } from './summary.ts';

const DAY_MS = 86_400_000;

/** The past of one coin, made ready once: candles summed up to what a strategy decides on are kept. */
export class Replayer {
  private readonly past: Past;
  private readonly sums = new Map<string, Series>();

  constructor(past: Past) {
    this.past = past;
  }

  /** What a complete config would have made of the past. */
  run(strategyName: string, config: unknown): Replay {
    const strategy = STRATEGIES.get(strategyName);
    if (strategy === undefined) return { kind: 'refused', sentence: `There is no strategy called ${strategyName}.` };
    const checked = strategy.config.safeParse(config);
    if (!checked.success) return { kind: 'refused', sentence: 'A setting can not be used as it is.' };
    const { rules, terms } = this.past;
    const detail = { interval: this.past.interval, columns: this.past.columns };
    const bound = strategy.bind(config);
    try {
      const candles = this.candles(bound.needs.interval, detail);
      const outcome = runBacktest({ bound, rules, terms, candles, detail });
      if (outcome.kind === 'refused') return outcome;
      const { metrics, drawdown, dailyEquity, fills, ambiguity } = outcome.result;
      const balance = toNumber(terms.balance);
      const share = (equity: number): number => equity / balance - 1;
      const { worst, base, best } = ambiguity;
      return {
        kind: 'summary',
        summary: {
          totalReturn: metrics.totalReturn,
          againstHolding: metrics.alpha.buyAndHold,
          drawdown: drawdown.depth,
          sales: fills.filter(({ side }) => side === 'sell').length,
          winRate: metrics.winRate,
          fees: metrics.fees,
          exposure: metrics.exposure,
          days: dailyEquity,
          band: { worst: share(worst), base: share(base), best: share(best), candles: ambiguity.candles },
        },
      };
    } catch (error) {
      if (error instanceof RangeError) return { kind: 'refused', sentence: error.message };
      throw error;
    }
  }

  /** Worth of the balance at the end of each UTC day, had it bought the coin at the first price. */
  holding(): number[] {
    const { openMs, open, close } = this.past.columns;
    const balance = toNumber(this.past.terms.balance);
    const days: number[] = [];
    for (let row = 0; row < openMs.length; row++) {
      const day = Math.floor(((openMs[row] ?? 0) - (openMs[0] ?? 0)) / DAY_MS);
      days[day] = balance * ((close[row] ?? 0) / (open[0] ?? 1));
    }
    return days;
  }

  private candles(interval: Series['interval'], detail: Series): Series {
    const known = this.sums.get(interval);
    if (known !== undefined) return known;
    const made = aggregateSeries(detail, interval);
    this.sums.set(interval, made);
    return made;
  }
}
