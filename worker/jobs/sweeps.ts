import { drawOf, sweepRequest, type SweepRequest } from '#core/research.ts';
import { openKernel } from '#backtest/run.ts';
import {
  foldRows,
  HALVING_STAGES,
  searchAll,
  type SweepBase,
  stageWindow,
  type Window,
} from '#backtest/sweep/search.ts';
import { candidatesOf } from '#strategies/candidates.ts';
import type { JobRun } from '#storage/queue.ts';
import { finishUnit, readSweep, takeUnit, type Unit } from '#storage/research.ts';
import { endStageAside } from '../backtest-aside.ts';
import type { WorkerContext } from '../context.ts';
import { SweepThreads } from '../sweep-threads.ts';
import { stoppable } from './research.ts';
import { prepareResearch, ResearchRefused } from './research-input.ts';
import { foldsIn, type UnitTried } from './sweep-stage.ts';

/** Which rows a stage tries its sets on; of the tests each set has its own. */
function windowsOf(base: SweepBase, request: SweepRequest, { stage, sets }: { stage: number; sets: number }): Window[] {
  if (request.search === 'halving') return [stageWindow(base, stage)];
  const folds = foldRows(base, foldsIn(request));
  const training = folds[stage - 1]?.train;
  if (stage === 0 || training !== undefined) return [training ?? stageWindow(base, HALVING_STAGES - 1)];
  return folds.slice(0, sets).map(({ test }) => test);
}

/** Tries the sets of one unit. Whoever ends the last unit of a stage begins the next one, or ranks what was found. */
export async function runSweepUnit(context: WorkerContext, unit: Unit, run: JobRun) {
  const { kysely } = context.database;
  const taken = await takeUnit(kysely, unit);
  // A unit may be done and its worker dead before the stage was ended.
  if (taken === undefined) return endWhenDone(context, unit.sweepId, run.signal);
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
    await endWhenDone(context, unit.sweepId, signal);
  });
}

async function endWhenDone({ database, env }: WorkerContext, sweepId: string, signal: AbortSignal): Promise<void> {
  const sweep = await readSweep(database.kysely, sweepId);
  if (sweep === undefined || sweep.units !== sweep.unitsDone) return;
  await endStageAside({ databaseUrl: env.DATABASE_URL, sweepId }, signal);
}
