import { sweepRequest, type SweepRequest } from '#core/research/research.ts';
import type { JobRun } from '#storage/jobs/queue.ts';
import { readSweep, claimUnit, type Unit } from '#storage/research/research.ts';
import type { WorkerContext } from '#worker/context.ts';
import { stoppable } from './research.ts';
import { prepareResearch } from './research-input.ts';
import type { Prepared } from './prepared.ts';

interface SweepInput {
  readonly strategyName: string;
  readonly request: SweepRequest;
}

/**
 * Evaluates the sets of one unit. The worker that finishes the last unit of a stage starts the next stage, or ranks the
 * results. The input of a sweep is prepared once, because it reads thousands of trading rules in the trading process.
 */
export function createSweepJobs(context: WorkerContext): (unit: Unit, run: JobRun) => Promise<void> {
  let last: { readonly sweepId: string; readonly prepared: Prepared } | undefined;
  const prepare = async (sweepId: string, input: SweepInput, signal: AbortSignal): Promise<Prepared> => {
    if (last?.sweepId === sweepId) return last.prepared;
    const { symbol, config } = input.request.coin;
    const prepared = await prepareResearch(context, { ...input, symbol, config }, signal);
    last = { sweepId, prepared };
    return prepared;
  };
  return async (unit, run) => {
    const { sweepId } = unit;
    const taken = await claimUnit(context.database.kysely, unit);
    // A worker may have died after its last unit and before it ended the stage.
    if (taken === undefined) return endWhenDone(context, sweepId, run.signal);
    const { strategyName, profileId } = taken;
    const request = sweepRequest.parse(taken.request);
    await stoppable(context, { table: 'sweeps', id: sweepId, profileId, run }, async (signal) => {
      const prepared = await prepare(sweepId, { strategyName, request }, signal);
      const sets: unknown[] = Array.isArray(taken.sets) ? taken.sets : [];
      const start = { databaseUrl: context.env.DATABASE_URL, unit, slot: context.slot, request, prepared, sets };
      await context.sweeps.carryOut({ kind: 'unit', ...start }, signal);
      await endWhenDone(context, sweepId, signal);
    });
  };
}

async function endWhenDone(
  { database, env, sweeps }: WorkerContext,
  sweepId: string,
  signal: AbortSignal,
): Promise<void> {
  const sweep = await readSweep(database.kysely, sweepId);
  if (sweep === undefined || sweep.units !== sweep.unitsDone) return;
  await sweeps.carryOut({ kind: 'stage', databaseUrl: env.DATABASE_URL, sweepId }, signal);
}
