import { lowerBound } from '#core/market/candle-columns.ts';
import type { FoldWindow } from '#core/research/research.ts';
import type { Luck } from '#core/research/research-results.ts';
import type { Candidate } from '#strategies/candidates.ts';
import type { Values } from '#strategies/swept-settings.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';
import type { KernelInput } from '#backtest/run-state.ts';
import { sha256 } from '#backtest/sha256.ts';
import { evaluate, type Evaluated, evaluatedOf, type SweepNumbers } from './row.ts';
import { luckOf } from './luck.ts';
import { distinctSeries, overfitting } from './statistics.ts';

export const RANKS = ['return', 'sharpe', 'sortino', 'calmar', 'net'] as const;
export type Rank = (typeof RANKS)[number];

/** A window of the candles: rows of the detail series, `end` exclusive. */
export interface Window {
  readonly start: number;
  readonly end: number;
}

/** Evaluates parsed configs on a window; results come in the order of the configs. */
export type Evaluate = (configs: readonly unknown[], window: Window) => Promise<readonly Evaluated[]>;

/** Common input of all configs of a sweep. */
export type SweepBase = Omit<KernelInput, 'bound' | 'recordDecisions' | 'path'>;

/** Evaluates configs in this thread: as vector runs when supported, otherwise one by one in the kernel. */
export function evaluateSets(base: SweepBase, strategy: AnyStrategy, configs: readonly unknown[]): Evaluated[] {
  const vectorRuns = strategy.sweep?.run(base, configs) ?? [];
  return configs.map((config, i) => {
    const run = vectorRuns[i];
    if (run !== undefined) return evaluatedOf({ by: 'lanes', ...run });
    return evaluate({ ...base, bound: strategy.bind(config) });
  });
}

/** Why sets ran in the kernel instead of in vector runs, from the first of them; undefined when none did. */
export function whyInKernel(
  { sweep }: Pick<AnyStrategy, 'sweep'>,
  candidates: readonly Candidate[],
  tried: readonly Tried[],
): string | undefined {
  const slow = new Set(tried.filter(({ evaluated }) => evaluated.by === 'kernel').map(({ set }) => set));
  if (slow.size === 0) return undefined;
  if (sweep === undefined) return 'the strategy has no vector runs';
  const first = candidates.find(({ set }) => slow.has(set));
  return sweep.unsupported(first?.config) ?? 'an order or the amounts needed the rules of the full simulation';
}

/** Value of a parameter set by a rank. Sets without a value come last. */
function scoreOf({ totalReturn, drawdown, sharpe, sortino, net }: SweepNumbers, rank: Rank): number {
  const scores: Record<Rank, number | null> = {
    return: totalReturn,
    sharpe,
    sortino,
    calmar: drawdown === 0 ? null : totalReturn / drawdown,
    net,
  };
  return scores[rank] ?? Number.NEGATIVE_INFINITY;
}

/** One tried combination; `set` is its place in the sweep. */
interface SweepRow extends SweepNumbers {
  readonly set: number;
  readonly values: Values;
}

export interface Tried {
  readonly set: number;
  readonly values: Values;
  readonly evaluated: Evaluated;
}

/** Best first by rank, then by return. Two values of minus infinity differ by NaN and count as equal. */
function byRank(tried: readonly Tried[], rank: Rank): Tried[] {
  const scored = tried.map((one) => ({ one, score: scoreOf(one.evaluated.numbers, rank) }));
  scored.sort(
    (a, b) =>
      b.score - a.score ||
      b.one.evaluated.numbers.totalReturn - a.one.evaluated.numbers.totalReturn ||
      a.one.set - b.one.set,
  );
  return scored.map(({ one }) => one);
}

/** Result of a sweep, best first, and how much of the best result is luck. */
export interface SweepResult {
  readonly evaluated: number;
  /** How many of them ran as vector runs; the others ran one by one in the kernel. */
  readonly inLanes: number;
  /** Sets that made money over the whole window. */
  readonly profitable: number;
  /** All sets tried on this question, in this sweep and in earlier ones. */
  readonly trials: number;
  readonly rows: readonly SweepRow[];
  readonly luck: Luck;
  /** Probability that the best set of the past ends in the lower half later; see statistics.ts. */
  readonly overfitting: number | null;
  readonly fingerprint: string;
}

interface RankOptions {
  readonly rank: Rank;
  readonly top: number;
  /** Trials of earlier sweeps on the same question. */
  readonly before?: number;
  /** Sets that halving dropped, each with its last window. */
  readonly dropped?: readonly Tried[];
}

/**
 * Ranks the sets that were tried on the whole window. The fingerprint covers every number of every set, in input order.
 * When halving dropped sets, their later results are unknown, so there is no overfitting number.
 */
export function rankTried(tried: readonly Tried[], { rank, top, before = 0, dropped = [] }: RankOptions): SweepResult {
  const ranked = byRank(tried, rank);
  const rows = ranked.map(rowOf);
  const returns = tried.map(({ evaluated }) => evaluated.returns);
  const { numbers, returns: ofBest } = ranked[0]?.evaluated ?? { numbers: { closedCycles: 0 }, returns: [] };
  const luck = luckOf({
    best: { returns: ofBest, trades: numbers.closedCycles },
    tried: [...returns, ...dropped.map(({ evaluated }) => evaluated.returns)],
    before,
  });
  return {
    evaluated: tried.length,
    inLanes: tried.filter(({ evaluated }) => evaluated.by === 'lanes').length,
    profitable: rows.filter(({ totalReturn }) => totalReturn > 0).length,
    trials: tried.length + dropped.length + before,
    rows: rows.slice(0, top),
    luck,
    overfitting: luck.kind === 'measured' && dropped.length === 0 ? overfitting(distinctSeries(returns)) : null,
    fingerprint: sha256(JSON.stringify(rows.toSorted((a, b) => a.set - b.set))),
  };
}

const zip = (candidates: readonly Candidate[], results: readonly Evaluated[]): Tried[] =>
  candidates.flatMap(({ set, values }, i) => {
    const evaluated = results[i];
    return evaluated === undefined ? [] : [{ set, values, evaluated }];
  });

/** Tries every candidate on the whole window. */
export async function searchAll(
  evaluateAll: Evaluate,
  candidates: readonly Candidate[],
  window: Window,
): Promise<Tried[]> {
  return zip(
    candidates,
    await evaluateAll(
      candidates.map(({ config }) => config),
      window,
    ),
  );
}

const KEPT = 3;
/** Successive halving: all sets on the first ninth of the window, the best third on the first third, then on all of it. */
export const HALVING_STAGES = 3;

/** The part of the window that a stage of halving uses. */
export const stageWindow = ({ start, end }: Window, stage: number): Window => ({
  start,
  end: start + Math.ceil((end - start) / KEPT ** (HALVING_STAGES - 1 - stage)),
});

/** The sets that enter the next stage. */
export const bestThird = (tried: readonly Tried[], rank: Rank): ReadonlySet<number> =>
  new Set(
    byRank(tried, rank)
      .slice(0, Math.ceil(tried.length / KEPT))
      .map(({ set }) => set),
  );

/** Sets that halving tried on the whole window, and dropped sets with their last window. */
export interface Halved {
  readonly tried: readonly Tried[];
  readonly dropped: readonly Tried[];
}

/** Tries the candidates by successive halving. */
export async function searchByHalving(
  evaluateAll: Evaluate,
  candidates: readonly Candidate[],
  { window, rank }: { window: Window; rank: Rank },
): Promise<Halved> {
  let left = candidates;
  const dropped: Tried[] = [];
  for (let stage = 0; stage < HALVING_STAGES - 1; stage++) {
    const tried = await searchAll(evaluateAll, left, stageWindow(window, stage));
    const kept = bestThird(tried, rank);
    dropped.push(...tried.filter(({ set }) => !kept.has(set)));
    left = left.filter(({ set }) => kept.has(set));
  }
  return { tried: await searchAll(evaluateAll, left, window), dropped };
}

interface FoldRows {
  readonly train: Window;
  readonly test: Window;
}

/** The windows of a walk-forward as rows of the detail series. A gap may leave a window without rows. */
export function foldRows({ start, end, detail }: SweepBase, folds: readonly FoldWindow[]): FoldRows[] {
  const rowOf = (ms: number): number => Math.min(end, Math.max(start, lowerBound(detail.columns.openMs, ms)));
  return folds.map(({ trainFromMs, testFromMs, testToMs }) => ({
    train: { start: rowOf(trainFromMs), end: rowOf(testFromMs) },
    test: { start: rowOf(testFromMs), end: rowOf(testToMs) },
  }));
}

/** The best tried set, by a rank. */
export const bestOf = (tried: readonly Tried[], rank: Rank): Tried | undefined => byRank(tried, rank)[0];

export const rowOf = ({ set, values, evaluated }: Tried): SweepRow => ({ set, values, ...evaluated.numbers });

interface Fold extends FoldRows {
  readonly best: SweepRow;
  /** The best set of the training window, on the test window after it. */
  readonly outOfSample: SweepNumbers;
}

/** Return of a walk-forward: the product of the returns of its test windows only. */
export const forwardReturn = (folds: readonly Pick<Fold, 'outOfSample'>[]): number =>
  folds.reduce((product, fold) => product * (1 + fold.outOfSample.totalReturn), 1) - 1;

/** Walk-forward: runs the best set of each training window on the test window after it. Only the tests count. */
export async function walkForward(
  evaluateAll: Evaluate,
  candidates: readonly Candidate[],
  { folds: windows, rank }: { folds: readonly FoldRows[]; rank: Rank },
): Promise<{ readonly totalReturn: number; readonly folds: Fold[] }> {
  const folds: Fold[] = [];
  for (const { train, test } of windows) {
    if (train.end <= train.start || test.end <= test.start) continue;
    const best = bestOf(await searchAll(evaluateAll, candidates, train), rank);
    const chosen = candidates.find(({ set }) => set === best?.set);
    if (best === undefined || chosen === undefined) break;
    const [tested] = await evaluateAll([chosen.config], test);
    if (tested === undefined) break;
    folds.push({ train, test, best: rowOf(best), outOfSample: tested.numbers });
  }
  return { totalReturn: forwardReturn(folds), folds };
}
