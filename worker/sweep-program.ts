import { constants, setPriority } from 'node:os';
import { scrubError } from '#core/installation/scrub.ts';
import { createLog } from '#integrations/log.ts';
import { type Database, openDatabase } from '#storage/postgres/database.ts';
import { openQueue } from '#storage/jobs/queue.ts';
import { finishUnit } from '#storage/research/research.ts';
import { ResearchRefused } from '#worker/jobs/prepared.ts';
import { endStage } from '#worker/jobs/sweep-stage.ts';
import { evaluateUnit } from '#worker/jobs/sweep-unit.ts';
import { answerBacktest, answerDryRun } from './backtest-in-thread.ts';
import {
  isSweepStart,
  type StageStart,
  type SweepAnswer,
  type SweepStart,
  type UnitStart,
  WAITED,
} from './sweep-process.ts';
import { evaluateUnitInThread } from './sweep-unit-in-thread.ts';

/** The process that computes a worker's sweeps; started and controlled by sweep-process.ts. */
if (process.argv[2] !== WAITED) setPriority(constants.priority.PRIORITY_LOW);

let kept: Database | undefined;
/** Kept open: a new connection for each unit would cost the database more than the write. */
const databaseAt = (url: string): Database =>
  (kept ??= openDatabase(url, { max: 1, applicationName: 'tradewind-sweep' }));

/** Evaluates the sets of a unit and stores the results: candles and results never pass through the trading process. */
async function finish(start: UnitStart): Promise<SweepAnswer> {
  const { database, unit } = start;
  const done = start.prepared.file === undefined ? await evaluateUnit(start) : await evaluateUnitInThread(start);
  if (database === null) return { evaluated: done };
  await finishUnit(databaseAt(database.url).kysely, unit, { ...done, worker: database.slot });
  return {};
}

/** Starts the next stage of a sweep, or ranks its results: about a second of work with thousands of sets. */
async function endStageOf({ databaseUrl, sweepId, warnings }: StageStart): Promise<void> {
  await using queue = await openQueue(databaseUrl, { log: createLog({ name: 'worker', level: 'warn' }), works: false });
  await endStage({ database: databaseAt(databaseUrl), queue }, { sweepId, warnings });
}

async function answerTo(start: SweepStart): Promise<SweepAnswer> {
  try {
    if (start.kind === 'unit') return await finish(start);
    if (start.kind === 'backtest') return { evaluated: await answerBacktest(start.start) };
    if (start.kind === 'dry-run') return { evaluated: await answerDryRun(start.start) };
    await endStageOf(start);
    return {};
  } catch (error) {
    return error instanceof ResearchRefused ? { refusal: error.message } : { failure: scrubError(error).message };
  }
}

process.on('message', (start: unknown) => {
  if (isSweepStart(start)) void answerTo(start).then((answer) => process.send?.(answer));
});
// The worker has ended: no process waits for the reply.
process.on('disconnect', () => process.exit(0));
// A terminal signals the whole process group; the worker ends this process itself.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
