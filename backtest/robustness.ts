import { toNumber } from '#core/amount/decimal.ts';
import type { AnyStrategy, BoundStrategy } from '#strategies/strategy.ts';
import { fragility, type RefusedVariant, type Variant } from './fragility.ts';
import { checkLookAhead, type Foresight } from './look-ahead.ts';
import { dailyReturns } from './metrics.ts';
import { monteCarlo } from './monte-carlo.ts';
import type { BacktestResult } from '#core/research/backtest-result.ts';
import { type BacktestInput, openKernel } from './run.ts';

/** Strategy, config and result of the run to test. */
export interface RobustnessInput {
  readonly strategy: AnyStrategy;
  readonly config: unknown;
  readonly result: Pick<BacktestResult, 'balance' | 'cycles' | 'dailyEquity'>;
}

export interface RobustnessReport {
  readonly monteCarlo: ReturnType<typeof monteCarlo>;
  readonly variants: readonly Variant[];
  readonly refused: readonly RefusedVariant[];
  readonly foresight: Foresight | null;
  /** Decisions that were compared with the future hidden; null when none was. */
  readonly comparedDecisions: number | null;
}

/** Tests how much of the result of one coin is luck. */
export function reportRobustness(
  input: BacktestInput,
  { strategy, config, result }: RobustnessInput,
): RobustnessReport {
  const opened = openKernel(input);
  if (opened.kind === 'refused') throw new Error(opened.sentence);
  const { kernel } = opened;
  const { found, compared } = checkLookAhead(kernel);
  return {
    monteCarlo: drawn(result, fixedSpendOf(input.bound)),
    ...fragility(kernel, strategy, config),
    foresight: found,
    comparedDecisions: compared,
  };
}

/** For coins that share a balance: Monte Carlo only. Variants and look-ahead are tested on single coins. */
export function reportSharedRobustness(
  coins: readonly BacktestInput[],
  result: RobustnessInput['result'],
): RobustnessReport {
  const spends = coins.map(({ bound }) => fixedSpendOf(bound));
  const known = spends.filter((spend) => spend !== null);
  const most = known.length === spends.length ? Math.max(...known) : null;
  return { monteCarlo: drawn(result, most), variants: [], refused: [], foresight: null, comparedDecisions: null };
}

const drawn = ({ balance: text, cycles, dailyEquity }: RobustnessInput['result'], fixedSpend: number | null) => {
  const balance = Number(text);
  const returns = dailyReturns({ days: dailyEquity, balance });
  return monteCarlo({ balance, nets: cycles.map(({ net }) => Number(net)), returns, fixedSpend });
};

/** The most that one trade spends, in quote; null when it follows the equity. */
function fixedSpendOf({ shared, planner }: BoundStrategy): number | null {
  const { equityShare, entryBudget, levels } = shared;
  if (planner !== undefined || equityShare !== undefined) return null;
  const spends = levels?.map(({ spend }) => (spend === null ? 0 : toNumber(spend))) ?? [];
  const total = spends.reduce((sum, spend) => sum + spend, 0);
  const most = Math.max(total, toNumber(entryBudget));
  return most > 0 ? most : null;
}
