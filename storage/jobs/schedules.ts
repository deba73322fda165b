import { sql } from 'kysely';
import type { Reader } from '#storage/postgres/database.ts';
import { DEAD_LETTERS, errorOf } from './dead-letters.ts';

/** A scheduled job with the outcome of its last run; null before the first run. */
interface ScheduleView {
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
    const run = runs.find((job) => job.name === name);
    return { name, cron, lastRun: run === undefined ? null : runOf(run) };
  });
}

/** Number of waiting jobs by name that could run now. */
export async function countWaitingJobs(reader: Reader): Promise<{ readonly name: string; readonly waiting: number }[]> {
  return await reader
    .selectFrom(sql<WaitingRow>`pgboss.job`.as('job'))
    .select(['name', sql<number>`count(*)::int`.as('waiting')])
    .where('state', 'in', ['created', 'retry'])
    .where('start_after', '<=', sql<Date>`now()`)
    .groupBy('name')
    .execute();
}

/** State of one job. */
interface JobView {
  readonly id: string;
  readonly name: string;
  readonly state: 'waiting' | 'running' | 'done' | 'failed';
  readonly attempts: number;
  readonly errorMessage: string | null;
  readonly askedAt: Date;
  readonly endedAt: Date | null;
}

interface JobRow extends Omit<RunRow, 'started_on' | 'completed_on'> {
  readonly id: string;
  readonly retry_count: number;
  readonly created_on: Date;
  readonly started_on: Date | null;
  readonly completed_on: Date | null;
}

const JOB_STATES: Readonly<Record<string, JobView['state']>> = {
  created: 'waiting',
  retry: 'waiting',
  active: 'running',
  completed: 'done',
};

/** Undefined for an unknown id, or a job that ended long ago. */
export async function readJob(reader: Reader, id: string): Promise<JobView | undefined> {
  const row = await reader
    .selectFrom(sql<JobRow>`pgboss.job`.as('job'))
    .select(['id', 'name', 'state', 'output', 'retry_count', 'created_on', 'started_on', 'completed_on'])
    .where('id', '=', id)
    .where('name', '<>', DEAD_LETTERS)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const state = JOB_STATES[row.state] ?? 'failed';
  return {
    ...{ id: row.id, name: row.name, state },
    attempts: row.started_on === null ? 0 : row.retry_count + 1,
    errorMessage: state === 'done' || row.output === null ? null : errorOf(row.output).errorMessage,
    askedAt: row.created_on,
    endedAt: row.completed_on,
  };
}

const runOf = ({ state, started_on, completed_on, output }: RunRow): NonNullable<ScheduleView['lastRun']> => ({
  startedAt: started_on,
  endedAt: completed_on,
  outcome: state === 'failed' ? 'failed' : 'done',
  errorMessage: state === 'failed' ? errorOf(output).errorMessage : null,
});
