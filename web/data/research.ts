import type { Answer } from '#api/contract/operation.ts';
import type { listBacktests, listSweeps, readBacktest, readSweep } from '#api/contract/research.ts';

export type Run = Answer<typeof listBacktests>['runs'][number];
export type RunPage = Answer<typeof readBacktest>;
export type Sweep = Answer<typeof listSweeps>['sweeps'][number];
export type SweepPage = Answer<typeof readSweep>;
export type SweepResult = NonNullable<SweepPage['result']>;

/** Polling interval of running work, and of finished work. */
export const BUSY_MS = 1_000;
const IDLE_MS = 30_000;

interface Work {
  readonly state: string;
}

/** It waits for a worker, or a worker runs it. */
export const isBusy = ({ state }: Work): boolean => state === 'queued' || state === 'running';

/** The polling interval of a list of work: finished work can still be changed elsewhere. */
export const paceOf = (all: readonly Work[] | undefined): number => (all?.some(isBusy) === true ? BUSY_MS : IDLE_MS);
/** The polling interval of one piece of work, until it has ended. */
export const untilDone = (work: Work | undefined): number | false =>
  work === undefined || isBusy(work) ? BUSY_MS : false;

/** The complete settings of the first coin of a run; those of the run omit the defaults of the strategy. */
export const fullConfigOf = ({ request, config }: Pick<Run, 'request' | 'config'>): unknown =>
  request.coins[0]?.config ?? config;
