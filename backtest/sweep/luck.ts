import type { Luck } from '#core/research/research-results.ts';
import {
  dailySharpe,
  deflatedSharpe,
  deviationOf,
  distinctSeries,
  expectedBest,
  minimumTrackRecord,
  momentsOf,
  type Returns,
} from './statistics.ts';

const LEAST_TRADES = 30;

interface LuckInput {
  /** Daily returns and closed trades of the best set. */
  readonly best: { readonly returns: Returns; readonly trades: number };
  /** Daily returns of every set that was tried, the best one included, each of the longest window it was tried on. */
  readonly tried: readonly Returns[];
  /** Sets that were tried on the same question before. */
  readonly before: number;
}

/**
 * How often luck alone gives a result as good as that of the best set: 1 - deflated Sharpe ratio. No number below 30 closed
 * trades, below the minimum track record length, and outside the domain of the formulas. Sets with equal returns are one
 * trial. A Sharpe ratio from a part of the window, as halving has them, spreads more: it counts times sqrt(part / window).
 */
export function luckOf({ best, tried, before }: LuckInput): Luck {
  const { returns, trades } = best;
  if (trades < LEAST_TRADES) return { kind: 'few-trades', trades, needed: LEAST_TRADES };
  const moments = momentsOf(returns);
  const needed = moments === null ? null : minimumTrackRecord(moments);
  if (moments === null || needed === null) return { kind: 'irregular', trades };
  const days = returns.length;
  if (days < needed)
    return { kind: 'short-record', trades, days, needed: Number.isFinite(needed) ? Math.ceil(needed) : null };
  const trials = distinctSeries(tried);
  const sharpes = trials.flatMap((one) => {
    const sharpe = dailySharpe(one);
    return sharpe === null ? [] : [sharpe * Math.sqrt(one.length / days)];
  });
  const count = trials.length + before;
  // Without the spread of the trials nobody knows how high the best of them would be by luck.
  if (count > 1 && (sharpes.length < 2 || trials.some(({ length }) => length < 3)))
    return { kind: 'irregular', trades };
  const skill = deflatedSharpe(moments, expectedBest(deviationOf(sharpes), count));
  return skill === null ? { kind: 'irregular', trades } : { kind: 'measured', chance: 1 - skill, trials: count };
}
