import { isObject } from '#core/merge.ts';
import { drawOf, foldsOf, sweepRequest, type SweepRequest, unitsOf } from '#core/research.ts';
import type { Transaction } from '#storage/database.ts';
import { openKernel } from '#backtest/run.ts';
import {
  bestOf,
  bestThird,
  foldRows,
  forwardReturn,
  HALVING_STAGES,
  rankTried,
  rowOf,
  searchAll,
  type SweepBase,
  stageWindow,
  type Tried,
  type Window,
} from '#backtest/sweep/search.ts';
import { candidatesOf } from '#strategies/candidates.ts';
import { parseKnobs } from '#strategies/knobs.ts';
import type { JobRun, Queue } from '#storage/queue.ts';
import {
  addUnits,
  finishUnit,
  keepSweepResult,
  lockEndedStage,
  readSweep,
  readUnits,
  takeUnit,
  trialsBeside,
  type Unit,
} from '#storage/research.ts';
import type { WorkerContext } from '../context.ts';
import { SweepThreads } from '../sweep-threads.ts';
import { stoppable } from './research.ts';
import { prepareResearch, ResearchRefused } from './research-input.ts';

const TOP = 100;
const DAY_MS = 86_400_000;

interface Shared {
  readonly context: WorkerContext;
  readonly queue: Queue;
}

/** `window` counts the windows of the unit: in that of the tests it is the fold. */
interface UnitTried extends Tried {
  readonly window: number;
}

/** What a unit has stored. */
const isEvaluated = (value: unknown): value is { readonly tried: readonly UnitTried[] } =>
  isObject(value) && Array.isArray(value['tried']);

/**
 * The folds of a walk-forward. Stage 0 is the whole window, stage n the training of fold n, and the one after them the
 * tests, whose one unit names the best set of each fold.
 */
function foldsIn({ walkForward, from, to }: SweepRequest) {
  if (walkForward === undefined || to === undefined) return [];
  const { trainDays, testDays } = walkForward;
  const window = { fromMs: Date.parse(from), toMs: Date.parse(to) };
  return foldsOf(window, { trainMs: trainDays * DAY_MS, testMs: testDays * DAY_MS });
}

/** Which rows a stage tries its sets on; of the tests each set has its own. */
function windowsOf(base: SweepBase, request: SweepRequest, { stage, sets }: { stage: number; sets: number }): Window[] {
  if (request.search === 'halving') return [stageWindow(base, stage)];
  const folds = foldRows(base, foldsIn(request));
  const training = folds[stage - 1]?.train;
  if (stage === 0 || training !== undefined) return [training ?? stageWindow(base, HALVING_STAGES - 1)];
  return folds.slice(0, sets).map(({ test }) => test);
}

const NO_FOLD = -1;

/** Tries the sets of one unit. Whoever ends the last unit of a stage begins the next one, or ranks what was found. */
export async function runSweepUnit(shared: Shared, unit: Unit, run: JobRun) {
  const { context } = shared;
  const { kysely } = context.database;
  const taken = await takeUnit(kysely, unit);
  // A unit may be done and its worker dead before the stage was ended.
  if (taken === undefined) return endStage(shared, unit.sweepId);
  const { strategyName, profileId } = taken;
  const request = sweepRequest.parse(taken.request);
  const { symbol, config } = request.coin;
  await stoppable(context, { table: 'sweeps', id: unit.sweepId, profileId, run }, async (signal) => {
    const { strategy, input } = await prepareResearch(context, { strategyName, request, symbol, config }, signal);
    const opened = openKernel(input);
    const made = candidatesOf(strategy, config, { knobs: request.knobs, draw: drawOf(request) });
    if (opened.kind === 'refused') throw new ResearchRefused(opened.sentence);
    if (made.kind === 'problem') throw new ResearchRefused(made.sentence);
    const { bound: _bound, ...base } = opened.kernel;
    const wanted: unknown[] = Array.isArray(taken.sets) ? taken.sets : [];
    const windows = windowsOf(base, request, { stage: unit.stage, sets: wanted.length });
    await using threads = new SweepThreads({ base, strategyName }, { threads: 1, signal });
    const tried: UnitTried[] = [];
    for (const [i, window] of windows.entries()) {
      if (window.end <= window.start) continue;
      const own = new Set(windows.length === 1 ? wanted : [wanted[i]]);
      const candidates = made.value.candidates.filter(({ set }) => own.has(set));
      const found = await searchAll(threads.evaluate, candidates, window);
      tried.push(...found.map((one) => ({ ...one, window: i })));
    }
    // Only the whole window is judged by its days.
    const lean = request.walkForward !== undefined && unit.stage > 0;
    const kept = lean ? tried.map((one) => ({ ...one, evaluated: { ...one.evaluated, returns: [] } })) : tried;
    await finishUnit(kysely, unit, { evaluated: { tried: kept }, worker: context.slot });
    await endStage(shared, unit.sweepId);
  });
}

/** Once all units of a stage are done, by whichever worker, the next stage begins, or what was found is ranked. */
async function endStage({ context, queue }: Shared, sweepId: string): Promise<void> {
  const sweep = await readSweep(context.database.kysely, sweepId);
  if (sweep === undefined || sweep.units !== sweep.unitsDone) return;
  const request = sweepRequest.parse(sweep.request);
  const { rank, coin } = request;
  await context.database.transaction(async (transaction) => {
    const stage = await lockEndedStage(transaction, sweepId);
    if (stage === undefined) return;
    const begin = async (units: readonly (readonly number[])[]): Promise<void> => {
      await addUnits(transaction, { sweepId, stage: stage + 1 }, units);
      for (const number of units.keys())
        await queue.enqueueIn(transaction, { name: 'run-sweep-unit', data: { sweepId, stage: stage + 1, number } });
    };
    const folds = foldsIn(request);
    const tried = await triedIn(transaction, sweepId, folds.length > 0 ? 0 : stage);
    if (request.search === 'halving' && stage < HALVING_STAGES - 1)
      return begin(unitsOf([...bestThird(tried, rank)].toSorted((a, b) => a - b)));
    if (folds.length > 0 && stage === folds.length)
      return begin([await bestOfFolds(transaction, { sweepId, request })]);
    const { strategyName, sets } = sweep;
    const beside = await trialsBeside(transaction, { sweepId, strategyName, symbol: coin.symbol });
    const before = beside + sets - tried.length;
    const knobs = parseKnobs(request.knobs, coin.config);
    const walkForward = folds.length === 0 ? {} : { walkForward: await forwardOf(transaction, { sweepId, request }) };
    await keepSweepResult(transaction, sweepId, {
      knobs: knobs.kind === 'ok' ? knobs.value.map(({ path }) => path) : [],
      ...rankTried(tried, { rank, top: TOP, before }),
      ...walkForward,
    });
  });
}

async function triedIn(transaction: Transaction, sweepId: string, stage: number): Promise<UnitTried[]> {
  const units = await readUnits(transaction, { sweepId, stage });
  return units.flatMap(({ evaluated }) => (isEvaluated(evaluated) ? evaluated.tried : []));
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

/** Each fold with the set that its training chose and what that made of the test; one without candles is left out. */
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
