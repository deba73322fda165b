import { constants, setPriority } from 'node:os';
import { scrubError } from '#core/installation/scrub.ts';
import { createLog } from '#integrations/log.ts';
import { type Database, openDatabase } from '#storage/postgres/database.ts';
import { openQueue } from '#storage/jobs/queue.ts';
import { finishUnit } from '#storage/research/research.ts';
import { ResearchRefused } from '#worker/jobs/prepared.ts';
import { endStage, storedUnit } from '#worker/jobs/sweep-stage.ts';
import { tryUnit } from '#worker/jobs/sweep-unit.ts';
import { isSweepStart, type StageStart, type SweepAnswer, type SweepStart, type UnitStart } from './sweep-process.ts';

/** The process that a worker's sweeps compute in; started by sweep-process.ts, which tells it what to do. */
setPriority(constants.priority.PRIORITY_LOW);

let kept: Database | undefined;
/** Kept open: a connection of its own for each unit would cost the database more than what it writes. */
const databaseAt = (url: string): Database =>
  (kept ??= openDatabase(url, { max: 1, applicationName: 'tradewind-sweep' }));

/** Tries the sets of a unit and stores what came of them: candles and results never pass the process that trades. */
async function finish(start: UnitStart): Promise<void> {
  const { databaseUrl, unit, slot: worker } = start;
  const found = await tryUnit(start);
  const done = { evaluated: storedUnit(found), trials: found.tried.length, worker };
  await finishUnit(databaseAt(databaseUrl).kysely, unit, done);
}

/** Begins the next stage of a sweep, or ranks what it has found: with thousands of sets a second of work. */
async function endStageOf({ databaseUrl, sweepId }: StageStart): Promise<void> {
  await using queue = await openQueue(databaseUrl, { log: createLog({ name: 'worker', level: 'warn' }), works: false });
  await endStage({ database: databaseAt(databaseUrl), queue }, sweepId);
}

async function answerTo(start: SweepStart): Promise<SweepAnswer> {
  try {
    await (start.kind === 'unit' ? finish(start) : endStageOf(start));
    return {};
  } catch (error) {
    return error instanceof ResearchRefused ? { refusal: error.message } : { failure: scrubError(error).message };
  }
}

process.on('message', (start: unknown) => {
  if (isSweepStart(start)) void answerTo(start).then((answer) => process.send?.(answer));
});
// The worker is gone, and with it whoever would be answered.
process.on('disconnect', () => process.exit(0));
// A terminal tells the whole group; the worker ends this process itself.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
