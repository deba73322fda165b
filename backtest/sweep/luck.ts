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
  /** Daily returns of every tried set, including the best, each on its longest window. */
  readonly tried: readonly Returns[];
  /** Sets of earlier sweeps on the same question. */
  readonly before: number;
}

/**
 * How often luck alone gives a result as good as that of the best set: 1 - deflated Sharpe ratio. There is no number below
 * 30 closed trades, below the minimum track record length, or outside the domain of the formulas. Sets with equal returns
 * are one trial. Halving gives Sharpe ratios from a part of the window. They spread more: times sqrt(part / window).
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
  // Without the spread of the trials, the best result by luck is unknown.
  if (count > 1 && (sharpes.length < 2 || trials.some(({ length }) => length < 3)))
    return { kind: 'irregular', trades };
  const skill = deflatedSharpe(moments, expectedBest(deviationOf(sharpes), count));
  return skill === null ? { kind: 'irregular', trades } : { kind: 'measured', chance: 1 - skill, trials: count };
}
