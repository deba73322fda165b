import { toNumber } from '#core/decimal.ts';
import { type KernelInput, type KernelRun, runKernel } from '../kernel.ts';
import { dailyReturns, exposure, profitFactor, sharpe, sortino, totalReturn, winRate } from '../metrics.ts';

/** The numbers by which parameter sets are compared; each is defined in metrics.ts. */
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

/** One evaluated parameter set; `returns` are its daily returns. */
export interface Evaluated {
  readonly numbers: SweepNumbers;
  readonly returns: readonly number[];
}

export interface Outcome {
  readonly balance: number;
  readonly days: readonly number[];
  readonly drawdown: number;
  readonly nets: readonly number[];
  readonly fills: number;
  readonly heldCandles: number;
  readonly candles: number;
}

export function evaluatedOf({ balance, days, drawdown, nets, fills, heldCandles, candles }: Outcome): Evaluated {
  const finalEquity = days.at(-1) ?? balance;
  const returns = dailyReturns({ days, balance });
  const numbers: SweepNumbers = {
    totalReturn: totalReturn({ finalEquity, balance }),
    finalEquity,
    drawdown,
    sharpe: sharpe(returns),
    sortino: sortino(returns),
    closedCycles: nets.length,
    net: nets.reduce((sum, net) => sum + net, 0),
    winRate: winRate(nets),
    profitFactor: profitFactor(nets),
    exposure: exposure({ heldCandles, candles }),
    fills,
  };
  return { numbers, returns };
}

/** One parameter set by the full kernel. */
export function evaluate(input: KernelInput): Evaluated {
  const { book, meter, heldCandles }: KernelRun = runKernel(input);
  return evaluatedOf({
    balance: toNumber(input.terms.balance),
    days: [...meter.days, meter.last],
    drawdown: meter.drawdown.depth,
    nets: book.cycles.map(({ net }) => toNumber(net)),
    fills: book.fills.length,
    heldCandles,
    candles: input.end - input.start,
  });
}
