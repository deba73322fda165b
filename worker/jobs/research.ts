import { isObject } from '#core/merge.ts';
import { drawOf, runRequest, sweepRequest, unitsOf } from '#core/research.ts';
import { openKernel } from '#backtest/run.ts';
import { HALVING_STAGES, bestThird, rankTried, searchAll, stageWindow, type Tried } from '#backtest/sweep/search.ts';
import { candidatesOf } from '#strategies/candidates.ts';
import type { JobRun, Queue } from '#storage/queue.ts';
import {
  addResult,
  addUnits,
  finishResearch,
  finishUnit,
  lockEndedStage,
  keepSweepResult,
  readRun,
  readSweep,
  readUnits,
  type ResearchTable,
  stateOf,
  takeRun,
  takeUnit,
  trialsBeside,
  type Unit,
} from '#storage/research.ts';
import { runBacktestAside } from '../backtest-aside.ts';
import type { WorkerContext } from '../context.ts';
import { notifyEvent } from '../notify.ts';
import { SweepThreads } from '../sweep-threads.ts';
import { prepareResearch, ResearchRefused } from './research-input.ts';

const ASK_EVERY_MS = 1_000;
const TOP = 100;

class Stopped extends Error {}

interface Work {
  readonly table: ResearchTable;
  readonly id: string;
  readonly profileId: string;
  readonly run: JobRun;
}

/**
 * Does work that the operator can stop, asking every second. What the strategy or the data refuse ends the whole run with
 * a sentence; any other error is for the queue to try again.
 */
async function stoppable(
  context: WorkerContext,
  { table, id, profileId, run }: Work,
  work: (signal: AbortSignal) => Promise<void>,
) {
  const { kysely } = context.database;
  const stop = new AbortController();
  const asking = setInterval(() => {
    stateOf(kysely, table, id).then(
      (state) => (state === 'running' ? undefined : stop.abort(new Stopped('stopped by the operator'))),
      () => {},
    );
  }, ASK_EVERY_MS);
  try {
    await work(AbortSignal.any([stop.signal, run.signal]));
  } catch (error) {
    if (error instanceof Stopped) return;
    if (!(error instanceof ResearchRefused)) throw error;
    await finishResearch(kysely, table, { id, state: 'failed', error: error.message });
  } finally {
    clearInterval(asking);
    const state = await stateOf(kysely, table, id).catch(() => undefined);
    const topic = table === 'sweeps' ? 'sweep' : 'backtest';
    context.announcer.announce({ topic, id: profileId, data: { id, state } });
  }
}

/**
 * Runs a backtest, one coin after the other; coins that an earlier attempt has finished are left alone. Its end is told,
 * unless the operator stopped it.
 */
export async function runBacktestJob(context: WorkerContext, runId: string, run: JobRun): Promise<void> {
  const { kysely } = context.database;
  const taken = await takeRun(kysely, runId);
  if (taken === undefined) return;
  const { strategyName, profileId } = taken;
  const request = runRequest.parse(taken.request);
  await stoppable(context, { table: 'backtest_runs', id: runId, profileId, run }, async (signal) => {
    for (const { symbol, config } of request.coins) {
      if (isObject(taken.results) && symbol in taken.results) continue;
      const { input } = await prepareResearch(context, { strategyName, request, symbol, config }, signal);
      const { bound: _bound, ...rest } = input;
      const outcome = await runBacktestAside({ strategyName, config, input: rest }, signal);
      if (outcome.kind === 'refused') throw new ResearchRefused(outcome.sentence);
      await addResult(kysely, runId, { symbol, result: outcome.result });
    }
    await finishResearch(kysely, 'backtest_runs', { id: runId, state: 'done' });
  });
  const ended = await readRun(kysely, profileId, runId);
  if (ended?.state !== 'done' && ended?.state !== 'failed') return;
  const symbols = request.coins.map(({ symbol }) => symbol);
  const title = `The backtest of ${symbols.length > 3 ? `${symbols.length} coins` : symbols.join(', ')} has ${ended.state === 'done' ? 'ended' : 'failed'}`;
  const text = ended.error ?? `Its results are kept as run ${runId}.`;
  await notifyEvent(context.desk, profileId, { event: 'backtest-complete', title, text });
}

/** What a unit has stored. */
const isEvaluated = (value: unknown): value is { readonly tried: readonly Tried[] } =>
  isObject(value) && Array.isArray(value['tried']);

/** Tries the sets of one unit. Whoever ends the last unit of a stage begins the next one, or ranks what was found. */
export async function runSweepUnit(
  { context, queue }: { context: WorkerContext; queue: Queue },
  unit: Unit,
  run: JobRun,
) {
  const { kysely } = context.database;
  const taken = await takeUnit(kysely, unit);
  // A unit may be done and its worker dead before the stage was ended.
  if (taken === undefined) return endStage({ context, queue }, unit.sweepId);
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
    const wanted = new Set(Array.isArray(taken.sets) ? taken.sets : []);
    const candidates = made.value.candidates.filter(({ set }) => wanted.has(set));
    const stage = request.search === 'halving' ? unit.stage : HALVING_STAGES - 1;
    await using threads = new SweepThreads({ base, strategyName }, { threads: 1, signal });
    const tried = await searchAll(threads.evaluate, candidates, stageWindow(base, stage));
    await finishUnit(kysely, unit, { evaluated: { tried }, worker: context.slot });
    await endStage({ context, queue }, unit.sweepId);
  });
}

/** Once all units of a stage are done, by whichever worker, the next stage begins, or what was found is ranked. */
async function endStage({ context, queue }: { context: WorkerContext; queue: Queue }, sweepId: string): Promise<void> {
  const sweep = await readSweep(context.database.kysely, sweepId);
  if (sweep === undefined || sweep.units !== sweep.unitsDone) return;
  const request = sweepRequest.parse(sweep.request);
  const { rank, coin } = request;
  await context.database.transaction(async (transaction) => {
    const stage = await lockEndedStage(transaction, sweepId);
    if (stage === undefined) return;
    const units = await readUnits(transaction, { sweepId, stage });
    const tried = units.flatMap(({ evaluated }) => (isEvaluated(evaluated) ? evaluated.tried : []));
    if (request.search === 'halving' && stage < HALVING_STAGES - 1) {
      const next = unitsOf([...bestThird(tried, rank)].toSorted((a, b) => a - b));
      await addUnits(transaction, { sweepId, stage: stage + 1 }, next);
      for (const number of next.keys()) {
        await queue.enqueueIn(transaction, { name: 'run-sweep-unit', data: { sweepId, stage: stage + 1, number } });
      }
      return;
    }
    const { strategyName, sets } = sweep;
    const beside = await trialsBeside(transaction, { sweepId, strategyName, symbol: coin.symbol });
    const before = beside + sets - tried.length;
    await keepSweepResult(transaction, sweepId, rankTried(tried, { rank, top: TOP, before }));
  });
}
