import { z } from 'zod';
import type { ProfileId } from '#core/ids.ts';
import { sweepRequest, type SweepRequest } from '#core/research/research.ts';
import { tickWarnings } from '#backtest/run.ts';
import type { JobRun } from '#storage/jobs/queue.ts';
import { claimUnit, finishUnit, readSweep, type Unit } from '#storage/research/research.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { WorkerContext } from '#worker/context.ts';
import type { UnitStart } from '#worker/sweep-process.ts';
import { stoppable } from './research.ts';
import { prepareResearch } from './research-input.ts';
import type { Prepared } from './prepared.ts';

interface SweepInput {
  readonly profileId: ProfileId;
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
    await stoppable(context, { kind: 'sweep', id: sweepId, profileId, run }, async (signal) => {
      const prepared = await prepare(sweepId, { strategyName, profileId, request }, signal);
      const sets: unknown[] = Array.isArray(taken.sets) ? taken.sets : [];
      await evaluate(context, { unit, request, prepared, sets }, signal);
      await endWhenDone(context, sweepId, signal);
    });
  };
}

/** Evaluates a unit in the process of sweeps. That of strategy files has no database: this process stores its result. */
async function evaluate(
  { env, slot, sweeps, fileSweeps, database }: WorkerContext,
  start: Omit<UnitStart, 'kind' | 'database'>,
  signal: AbortSignal,
): Promise<void> {
  if (start.prepared.file === undefined) {
    await sweeps.carryOut({ kind: 'unit', ...start, database: { url: env.DATABASE_URL, slot } }, signal);
    return;
  }
  const done = evaluatedUnit.parse(await fileSweeps.carryOut({ kind: 'unit', ...start, database: null }, signal));
  await finishUnit(database.kysely, start.unit, { ...done, worker: slot });
}

const evaluatedUnit = z.object({ evaluated: z.unknown(), trials: z.int().nonnegative() });

async function endWhenDone(
  { database, env, sweeps }: WorkerContext,
  sweepId: string,
  signal: AbortSignal,
): Promise<void> {
  const sweep = await readSweep(database.kysely, sweepId);
  if (sweep === undefined || sweep.units !== sweep.unitsDone) return;
  const { coin, detailInterval } = sweepRequest.parse(sweep.request);
  const bound = STRATEGIES.get(sweep.strategyName)?.bind(coin.config);
  const warnings = bound === undefined ? [] : tickWarnings(bound, detailInterval);
  await sweeps.carryOut({ kind: 'stage', databaseUrl: env.DATABASE_URL, sweepId, warnings }, signal);
}
