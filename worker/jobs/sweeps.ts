import { sweepRequest } from '#core/research.ts';
import type { JobRun } from '#storage/queue.ts';
import { readSweep, takeUnit, type Unit } from '#storage/research.ts';
import { endStageAside, tryUnitAside } from '../backtest-aside.ts';
import type { WorkerContext } from '../context.ts';
import { stoppable } from './research.ts';
import { prepareResearch } from './research-input.ts';

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
    const prepared = await prepareResearch(context, { strategyName, request, symbol, config }, signal);
    const sets: unknown[] = Array.isArray(taken.sets) ? taken.sets : [];
    const { slot, env } = context;
    await tryUnitAside({ databaseUrl: env.DATABASE_URL, unit, slot, request, prepared, sets }, signal);
    await endWhenDone(context, unit.sweepId, signal);
  });
}

async function endWhenDone({ database, env }: WorkerContext, sweepId: string, signal: AbortSignal): Promise<void> {
  const sweep = await readSweep(database.kysely, sweepId);
  if (sweep === undefined || sweep.units !== sweep.unitsDone) return;
  await endStageAside({ databaseUrl: env.DATABASE_URL, sweepId }, signal);
}
