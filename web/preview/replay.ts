import { toNumber } from '#core/amount/decimal.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { aggregateSeries, type Series } from '#backtest/columns.ts';
import { runSummaryBacktest, type SummaryBacktest } from '#backtest/summary-backtest.ts';
import type { BacktestOutcome } from '#backtest/run.ts';
import type { Past, Replay, Summary } from './summary.ts';

const DAY_MS = 86_400_000;

type Refused = Extract<BacktestOutcome, { kind: 'refused' }>;
const refuse = (sentence: string): Refused => ({ kind: 'refused', sentence });

function summaryOf({ metrics, drawdown, dailyEquity, sales, ambiguity }: SummaryBacktest, balance: number): Summary {
  const share = (equity: number): number => equity / balance - 1;
  const { worst, base, best, ...doubtful } = ambiguity;
  return {
    totalReturn: metrics.totalReturn,
    returnOnCapital: metrics.capital.returnOnUsed,
    alpha: metrics.capital.alpha,
    drawdown: drawdown.depth,
    sales,
    winRate: metrics.winRate,
    fees: metrics.fees,
    exposure: metrics.exposure,
    days: dailyEquity,
    band: { worst: share(worst), base: share(base), best: share(best), ...doubtful },
  };
}

/** The past of one coin; keeps the candles aggregated to the interval of a strategy. */
export class Replayer {
  private readonly past: Past;
  private readonly sums = new Map<string, Series>();

  constructor(past: Past) {
    this.past = past;
  }

  /** The summary of a complete config on the past, or why it cannot run. */
  run(strategyName: string, config: unknown): Replay {
    const outcome = this.over(strategyName, config);
    if (outcome.kind === 'refused') return outcome;
    return { kind: 'summary', summary: summaryOf(outcome.summary, toNumber(this.past.terms.balance)) };
  }

  /** Buy and hold: equity at the end of each UTC day after buying the coin at the first price. */
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

  private over(strategyName: string, config: unknown): ReturnType<typeof runSummaryBacktest> | Refused {
    const strategy = STRATEGIES.get(strategyName);
    if (strategy === undefined) return refuse(`There is no strategy named ${strategyName}.`);
    if (!strategy.config.safeParse(config).success) return refuse('A setting is invalid.');
    const { rules, terms, interval, columns } = this.past;
    const bound = strategy.bind(config);
    const detail = { interval, columns };
    try {
      return runSummaryBacktest({ bound, rules, terms, candles: this.candles(bound.needs.interval, detail), detail });
    } catch (error) {
      if (error instanceof RangeError) return refuse(error.message);
      throw error;
    }
  }

  private candles(interval: Series['interval'], detail: Series): Series {
    const known = this.sums.get(interval);
    if (known !== undefined) return known;
    const made = aggregateSeries(detail, interval);
    this.sums.set(interval, made);
    return made;
  }
}
