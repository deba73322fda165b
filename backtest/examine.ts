import type { AnyStrategy } from '#strategies/strategy.ts';
import { dailyReturns } from './metrics.ts';
import type { BacktestResult } from './result.ts';
import { findForesight, type Foresight, fragility, monteCarlo, type Variant } from './robustness.ts';
import { type BacktestInput, openKernel } from './run.ts';

/** What a result can be examined with. */
export interface Examined {
  readonly strategy: AnyStrategy;
  readonly config: unknown;
  readonly result: Pick<BacktestResult, 'balance' | 'cycles' | 'dailyEquity'>;
}

export interface Examination {
  readonly monteCarlo: ReturnType<typeof monteCarlo>;
  readonly variants: readonly Variant[];
  readonly foresight: Foresight | null;
}

/**
 * Everything that tells how much of a result is luck. Of a basket only what its trades and days tell: small changes and
 * hidden futures are tried on single coins.
 */
export function examine(input: BacktestInput, { strategy, config, result }: Examined): Examination {
  const balance = Number(result.balance);
  const drawn = monteCarlo({
    balance,
    nets: result.cycles.map(({ net }) => Number(net)),
    returns: dailyReturns({ days: result.dailyEquity, balance }),
  });
  if (strategy.plansBaskets === true) return { monteCarlo: drawn, variants: [], foresight: null };
  const opened = openKernel(input);
  if (opened.kind === 'refused') throw new Error(opened.sentence);
  const { kernel } = opened;
  return { monteCarlo: drawn, variants: fragility(kernel, strategy, config), foresight: findForesight(kernel) };
}
