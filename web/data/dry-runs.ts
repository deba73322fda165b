import type { ProfileId } from '#core/ids.ts';
import { listDryRuns, readDryRun } from '#api/contract/dry-runs.ts';
import type { Answer } from '#api/contract/operation.ts';
import { useRead } from './read.ts';

export type DryRun = Answer<typeof readDryRun>;
export type DryRunEntry = Answer<typeof listDryRuns>['dryRuns'][number];

/** An event follows each new result; the polling covers a lost one. */
const BUSY_MS = 10_000;
const IDLE_MS = 30_000;

export const isRunning = ({ state }: Pick<DryRunEntry, 'state'>): boolean => state === 'running';
/** Running, or finished and neither promoted nor dropped. */
export const isOpen = ({ state }: Pick<DryRunEntry, 'state'>): boolean => state === 'running' || state === 'finished';

/** The dry runs of a profile, newest first. */
export const useDryRuns = (id: ProfileId) =>
  useRead(
    listDryRuns,
    { params: { id } },
    { every: (data) => (data?.dryRuns.some(isRunning) === true ? BUSY_MS : IDLE_MS) },
  );

/** One dry run with its result so far. */
export const useDryRun = (id: ProfileId, dryRunId: string) =>
  useRead(
    readDryRun,
    { params: { id, dryRunId } },
    { every: (data) => (data === undefined || isRunning(data) ? BUSY_MS : IDLE_MS), keep: true },
  );
