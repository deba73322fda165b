import { sql } from 'kysely';
import type { Reader } from './database.ts';
import { wordsOf } from './dead-letters.ts';

/** A job that comes again and again, with how its last run ended; null before the first. */
export interface ScheduleView {
  readonly name: string;
  /** Five fields, UTC. */
  readonly cron: string;
  readonly lastRun: {
    readonly startedAt: Date;
    readonly endedAt: Date;
    readonly outcome: 'done' | 'failed';
    readonly errorMessage: string | null;
  } | null;
}

interface ScheduleRow {
  readonly name: string;
  readonly cron: string;
}

interface RunRow {
  readonly name: string;
  readonly state: string;
  readonly started_on: Date;
  readonly completed_on: Date;
  readonly output: unknown;
}

interface WaitingRow {
  readonly name: string;
  readonly state: string;
  readonly start_after: Date;
}

export async function listSchedules(reader: Reader): Promise<ScheduleView[]> {
  const schedules = await reader
    .selectFrom(sql<ScheduleRow>`pgboss.schedule`.as('schedule'))
    .select(['name', 'cron'])
    .orderBy('name')
    .execute();
  const runs = await reader
    .selectFrom(sql<RunRow>`pgboss.job`.as('job'))
    .select(['name', 'state', 'started_on', 'completed_on', 'output'])
    .distinctOn('name')
    .where('state', 'in', ['completed', 'failed'])
    .where('started_on', 'is not', null)
    .orderBy('name')
    .orderBy('completed_on', 'desc')
    .execute();
  return schedules.map(({ name, cron }) => {
    const run = runs.find((one) => one.name === name);
    return { name, cron, lastRun: run === undefined ? null : runOf(run) };
  });
}

/** How many jobs of each name could run now and wait. */
export async function countWaitingJobs(reader: Reader): Promise<{ readonly name: string; readonly waiting: number }[]> {
  return await reader
    .selectFrom(sql<WaitingRow>`pgboss.job`.as('job'))
    .select(['name', sql<number>`count(*)::int`.as('waiting')])
    .where('state', 'in', ['created', 'retry'])
    .where('start_after', '<=', sql<Date>`now()`)
    .groupBy('name')
    .execute();
}

const runOf = ({ state, started_on, completed_on, output }: RunRow): NonNullable<ScheduleView['lastRun']> => ({
  startedAt: started_on,
  endedAt: completed_on,
  outcome: state === 'failed' ? 'failed' : 'done',
  errorMessage: state === 'failed' ? wordsOf(output).errorMessage : null,
});
