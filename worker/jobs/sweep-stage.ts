import { isObject } from '#core/merge.ts';
import { foldsOf, sweepRequest, type SweepRequest, unitsOf } from '#core/research/research.ts';
import {
  bestOf,
  bestThird,
  forwardReturn,
  HALVING_STAGES,
  rankTried,
  rowOf,
  type Tried,
} from '#backtest/sweep/search.ts';
import type { Evaluated } from '#backtest/sweep/row.ts';
import type { Database, Transaction } from '#storage/postgres/database.ts';
import type { Queue } from '#storage/jobs/queue.ts';
import {
  addUnits,
  finishResearch,
  keepSweepResult,
  lockEndedStage,
  readRefusedSets,
  readSweep,
  readTrials,
  readUnits,
  otherTrials,
  unitJobs,
} from '#storage/research/research.ts';
import { noneIsAConfig, type RefusedSets } from '#strategies/candidates.ts';
import { parseSettings } from '#strategies/swept-settings.ts';

const TOP = 100;
const DAY_MS = 86_400_000;
const NO_FOLD = -1;

/** `window` is the index of the window in the unit; in the unit of the tests it is the fold. */
export interface UnitTried extends Tried {
  readonly window: number;
}

export interface UnitResult {
  readonly tried: readonly UnitTried[];
  /** Sets that the strategy refuses as a config. */
  readonly refused: RefusedSets;
}

/**
 * Stored results of a unit. Daily returns are base64 of little-endian float64 numbers: as decimal text they cost the
 * database 50 ms of processor time per unit, next to live trading.
 */
interface StoredUnit {
  readonly refused: RefusedSets;
  readonly tried: readonly (Omit<UnitTried, 'evaluated'> & {
    readonly evaluated: Omit<Evaluated, 'returns'> & { readonly returns: string | readonly number[] };
  })[];
}

export const storedUnit = ({ tried, refused }: UnitResult): StoredUnit => ({
  refused,
  tried: tried.map((one) => ({ ...one, evaluated: { ...one.evaluated, returns: textOf(one.evaluated.returns) } })),
});

const isStoredUnit = (value: unknown): value is Pick<StoredUnit, 'tried'> =>
  isObject(value) && Array.isArray(value['tried']);

const textOf = (returns: ArrayLike<number>): string =>
  Buffer.from(Float64Array.from(returns).buffer).toString('base64');

/** Units stored by older versions contain plain numbers. */
const returnsOf = (stored: string | readonly number[]): ArrayLike<number> =>
  typeof stored === 'string' ? new Float64Array(Uint8Array.from(Buffer.from(stored, 'base64')).buffer) : stored;

const triedOf = ({ tried }: Pick<StoredUnit, 'tried'>): UnitTried[] =>
  tried.map((one) => ({ ...one, evaluated: { ...one.evaluated, returns: returnsOf(one.evaluated.returns) } }));

/**
 * The folds of a walk-forward. Stage 0 is the whole window, stage n the training of fold n. The last stage holds the
 * tests; its only unit lists the best set of each fold.
 */
export function foldsIn({ walkForward, from, to }: SweepRequest) {
  if (walkForward === undefined || to === undefined) return [];
  const { trainDays, testDays } = walkForward;
  const window = { fromMs: Date.parse(from), toMs: Date.parse(to) };
  return foldsOf(window, { trainMs: trainDays * DAY_MS, testMs: testDays * DAY_MS });
}

/** Ends a stage once all of its units are done, by any worker: starts the next stage, or ranks the results. */
export async function endStage(
  { database, queue }: { database: Database; queue: Queue },
  { sweepId, warnings }: { readonly sweepId: string; readonly warnings: readonly string[] },
): Promise<void> {
  const sweep = await readSweep(database.kysely, sweepId);
  if (sweep === undefined || sweep.units !== sweep.unitsDone) return;
  const request = sweepRequest.parse(sweep.request);
  const { rank, coin } = request;
  await database.transaction(async (transaction) => {
    const stage = await lockEndedStage(transaction, sweepId);
    if (stage === undefined) return;
    const startNext = async (units: readonly (readonly number[])[]): Promise<void> => {
      const next = stage + 1;
      await addUnits(transaction, { sweepId, stages: { first: next, last: next } }, units);
      await queue.enqueueAllIn(transaction, 'run-sweep-unit', unitJobs(sweepId, { first: next, last: next }, units));
    };
    const { strategyName, sets } = sweep;
    const refused = await readRefusedSets(transaction, sweepId);
    if (refused.count === sets) {
      const error = noneIsAConfig(strategyName, refused.example);
      return finishResearch(transaction, { id: sweepId, state: 'failed', error });
    }
    const folds = foldsIn(request);
    const tried = await triedIn(transaction, sweepId, folds.length > 0 ? 0 : stage);
    if (request.search === 'halving' && stage < HALVING_STAGES - 1)
      return startNext(unitsOf([...bestThird(tried, rank)].toSorted((a, b) => a - b)));
    if (folds.length > 0 && stage === folds.length)
      return startNext([await bestOfFolds(transaction, { sweepId, request })]);
    const trialsElsewhere = await otherTrials(transaction, { sweepId, strategyName, symbol: coin.symbol });
    const dropped = request.search === 'halving' ? await droppedIn(transaction, sweepId, stage) : [];
    const before = trialsElsewhere + (await readTrials(transaction, sweepId)) - tried.length - dropped.length;
    const swept = parseSettings(request.knobs, coin.config);
    const walkForward = folds.length === 0 ? {} : { walkForward: await forwardOf(transaction, { sweepId, request }) };
    await keepSweepResult(transaction, sweepId, {
      knobs: swept.kind === 'ok' ? swept.value.map(({ path }) => path) : [],
      refused,
      warnings,
      ...rankTried(tried, { rank, top: TOP, before, dropped }),
      ...walkForward,
    });
  });
}

async function triedIn(transaction: Transaction, sweepId: string, stage: number): Promise<UnitTried[]> {
  const units = await readUnits(transaction, { sweepId, stage });
  return units.flatMap(({ evaluated }) => (isStoredUnit(evaluated) ? triedOf(evaluated) : []));
}

/** Sets that the halving stages before `last` dropped, each with the result of its last stage. */
async function droppedIn(transaction: Transaction, sweepId: string, last: number): Promise<Tried[]> {
  const dropped: Tried[] = [];
  let kept = new Set((await triedIn(transaction, sweepId, last)).map(({ set }) => set));
  for (let stage = last - 1; stage >= 0; stage--) {
    const tried = await triedIn(transaction, sweepId, stage);
    dropped.push(...tried.filter(({ set }) => !kept.has(set)));
    kept = new Set(tried.map(({ set }) => set));
  }
  return dropped;
}

interface Forward {
  readonly sweepId: string;
  readonly request: SweepRequest;
}

async function bestOfFolds(transaction: Transaction, { sweepId, request }: Forward): Promise<number[]> {
  const best: number[] = [];
  for (let fold = 1; fold <= foldsIn(request).length; fold++)
    best.push(bestOf(await triedIn(transaction, sweepId, fold), request.rank)?.set ?? NO_FOLD);
  return best;
}

/** Each fold with the set that its training chose and the result of its test; skips a fold without candles. */
async function forwardOf(transaction: Transaction, { sweepId, request }: Forward) {
  const windows = foldsIn(request);
  const tests = await triedIn(transaction, sweepId, windows.length + 1);
  const folds = [];
  for (const [i, { trainFromMs, testFromMs, testToMs }] of windows.entries()) {
    const best = bestOf(await triedIn(transaction, sweepId, i + 1), request.rank);
    const tested = tests.find(({ window }) => window === i);
    if (best === undefined || tested === undefined) continue;
    const [trainFrom, testFrom, testTo] = [trainFromMs, testFromMs, testToMs].map((ms) => new Date(ms).toISOString());
    folds.push({ trainFrom, testFrom, testTo, best: rowOf(best), outOfSample: tested.evaluated.numbers });
  }
  return { totalReturn: forwardReturn(folds), folds };
}
