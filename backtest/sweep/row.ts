import { toNumber } from '#core/amount/decimal.ts';
import { type KernelRun, runKernel } from '#backtest/kernel.ts';
import type { KernelInput } from '#backtest/run-state.ts';
import { sharpe } from '#core/research/sharpe.ts';
import { addNet, openTally } from '#core/research/tally.ts';
import type { SweptRun } from '#strategies/sweep.ts';
import { dailyReturns, exposure, sortino, totalReturn } from '#backtest/metrics.ts';

/** Metrics for comparing parameter sets; each is defined in metrics.ts. */
export interface SweepNumbers {
  readonly totalReturn: number;
  readonly finalEquity: number;
  readonly drawdown: number;
  readonly sharpe: number | null;
  readonly sortino: number | null;
  readonly closedCycles: number;
  readonly net: number;
  readonly winRate: number | null;
  readonly profitFactor: number | null;
  readonly exposure: number;
  readonly fills: number;
}

/** One evaluated parameter set. `returns`: its daily returns. `by`: the code that ran it; both give the same numbers. */
export interface Evaluated {
  readonly by: 'lanes' | 'kernel';
  readonly numbers: SweepNumbers;
  readonly returns: ArrayLike<number>;
}

interface Outcome extends SweptRun, Pick<Evaluated, 'by'> {}

export function evaluatedOf({ by, balance, days, drawdown, tally, fills, heldCandles, candles }: Outcome): Evaluated {
  const finalEquity = days.at(-1) ?? balance;
  const returns = dailyReturns({ days, balance });
  const numbers: SweepNumbers = {
    totalReturn: totalReturn({ finalEquity, balance }),
    finalEquity,
    drawdown,
    sharpe: sharpe(returns),
    sortino: sortino(returns),
    closedCycles: tally.cycles,
    net: tally.net,
    winRate: tally.cycles === 0 ? null : tally.wins / tally.cycles,
    profitFactor: tally.lost === 0 ? null : tally.won / tally.lost,
    exposure: exposure({ heldCandles, candles }),
    fills,
  };
  return { by, numbers, returns };
}

/** Runs one parameter set in the full kernel. */
export function evaluate(input: KernelInput): Evaluated {
  const { book, meter, heldCandles }: KernelRun = runKernel(input);
  const tally = openTally();
  for (const { net } of book.cycles) addNet(tally, toNumber(net));
  return evaluatedOf({
    by: 'kernel',
    balance: toNumber(input.terms.balance),
    days: [...meter.days, meter.last],
    drawdown: meter.drawdown.depth,
    tally,
    fills: book.fills.length,
    heldCandles,
    candles: input.end - input.start,
  });
}
