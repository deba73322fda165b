import { isObject } from '#core/merge.ts';
import type { RunRequest, SweepRequest } from '#core/research/research.ts';
import type { Metrics } from '#backtest/metrics.ts';
import type { BacktestResult } from '#backtest/result.ts';
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

/** Earlier versions stored no capital metrics. */
export type StoredMetrics = Omit<Metrics, 'capital'> & Partial<Pick<Metrics, 'capital'>>;
export type StoredResult = Omit<BacktestResult, 'metrics'> & { readonly metrics: StoredMetrics };

/* The contract does not type stored results: the worker stored the result of the backtest. */
const isResult = (value: unknown): value is StoredResult =>
  isObject(value) && value['v'] === 1 && isObject(value['metrics']);
export const isMetrics = (value: unknown): value is StoredMetrics =>
  isObject(value) && typeof value['totalReturn'] === 'number';
const isRunRequest = (value: unknown): value is RunRequest => isObject(value) && Array.isArray(value['coins']);
const isSweepRequest = (value: unknown): value is SweepRequest => isObject(value) && isObject(value['coin']);

/** The result of each coin that is finished. */
export const resultsOf = ({ results }: Pick<RunPage, 'results'>): StoredResult[] =>
  Object.values(results).filter(isResult);

/** Each coin that is finished, with its numbers. */
export const metricsOf = ({ metrics }: Pick<Run, 'metrics'>): [string, StoredMetrics][] =>
  Object.entries(metrics).flatMap(([symbol, stored]) => (isMetrics(stored) ? [[symbol, stored]] : []));

/** The request of a run; `undefined` for an unknown format of another version. */
export const runRequestOf = ({ request }: Pick<Run, 'request'>): RunRequest | undefined =>
  isRunRequest(request) ? request : undefined;
/** The complete settings of the first coin of a run; those of the run omit the defaults of the strategy. */
export const fullConfigOf = (run: Pick<Run, 'request' | 'config'>): unknown =>
  runRequestOf(run)?.coins[0]?.config ?? run.config;
export const sweepRequestOf = ({ request }: Pick<Sweep, 'request'>): SweepRequest | undefined =>
  isSweepRequest(request) ? request : undefined;
