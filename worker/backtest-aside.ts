import { type MessagePort, Worker } from 'node:worker_threads';
import { isObject } from '#core/merge.ts';
import type { SweepRequest } from '#core/research.ts';
import type { Examination, Examined } from '#backtest/examine.ts';
import type { BacktestOutcome } from '#backtest/run.ts';
import type { Unit } from '#storage/research.ts';
import { type Prepared, ResearchRefused } from './jobs/research-input.ts';

/** A backtest as it is handed to a thread; several coins are a basket. */
export interface BacktestStart {
  readonly inputs: readonly Prepared[];
  /** What it has come to: the thread then examines it instead. */
  readonly result?: Examined['result'];
}
export const isBacktestStart = (value: unknown): value is BacktestStart => isObject(value) && 'inputs' in value;

const isOutcome = (value: unknown): value is BacktestOutcome => isObject(value) && 'kind' in value;
const isExamination = (value: unknown): value is Examination => isObject(value) && 'monteCarlo' in value;

/** Runs a backtest in a thread of its own, so that trading goes on meanwhile. Rejects when aborted or refused. */
export const runBacktestAside = (start: BacktestStart, signal: AbortSignal): Promise<BacktestOutcome> =>
  runAside(BACKTEST, { start, isAnswer: isOutcome, signal });

/** Examines what a backtest has come to, in the same way. */
export const examineAside = (
  start: BacktestStart & Required<Pick<BacktestStart, 'result'>>,
  signal: AbortSignal,
): Promise<Examination> => runAside(BACKTEST, { start, isAnswer: isExamination, signal });

const BACKTEST = new URL('./backtest-thread.ts', import.meta.url);
const UNIT = new URL('./sweep-unit-thread.ts', import.meta.url);
const STAGE = new URL('./sweep-stage-thread.ts', import.meta.url);

/** Which stage of a sweep is to be ended, and where it is stored. */
export interface StageStart {
  readonly databaseUrl: string;
  readonly sweepId: string;
}
export const isStageStart = (value: unknown): value is StageStart => isObject(value) && 'sweepId' in value;

/** What such a thread says when it has done it. */
export const STAGE_ENDED = 'stage-ended';
const hasEnded = (value: unknown): value is typeof STAGE_ENDED => value === STAGE_ENDED;

/** Begins the next stage of a sweep, or ranks what it has found: with thousands of sets a second of work. */
export const endStageAside = (start: StageStart, signal: AbortSignal): Promise<typeof STAGE_ENDED> =>
  runAside(STAGE, { start, isAnswer: hasEnded, signal });

/** The sets of a unit of a sweep, and what they are tried on. */
export interface UnitStart {
  readonly databaseUrl: string;
  readonly unit: Unit;
  /** Names the worker that has done it. */
  readonly slot: string;
  readonly request: SweepRequest;
  readonly prepared: Prepared;
  readonly sets: readonly unknown[];
}
export const isUnitStart = (value: unknown): value is UnitStart => isObject(value) && 'sets' in value;

/** What such a thread says when the unit is stored. */
export const UNIT_DONE = 'unit-done';
const isDone = (value: unknown): value is typeof UNIT_DONE => value === UNIT_DONE;

/** Tries the sets of a unit and stores what came of them, candles and results never passing the thread that trades. */
export const tryUnitAside = (start: UnitStart, signal: AbortSignal): Promise<typeof UNIT_DONE> =>
  runAside(UNIT, { start, isAnswer: isDone, signal });

/** What a thread says when the strategy or the data refuse. */
interface RefusedAside {
  readonly refusal: string;
}
const isRefused = (value: unknown): value is RefusedAside => isObject(value) && typeof value['refusal'] === 'string';

/** In a thread: posts what `work` makes, or the sentence that it is refused with. */
export async function answerAside(port: MessagePort, work: () => Promise<unknown>): Promise<void> {
  try {
    port.postMessage(await work());
  } catch (error) {
    if (!(error instanceof ResearchRefused)) throw error;
    port.postMessage({ refusal: error.message } satisfies RefusedAside);
  }
}

interface Aside<T> {
  readonly start: unknown;
  readonly isAnswer: (value: unknown) => value is T;
  readonly signal: AbortSignal;
}

async function runAside<T>(thread: URL, { start, isAnswer, signal }: Aside<T>): Promise<T> {
  const worker = new Worker(thread, { workerData: start });
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  worker.on('message', (answer: unknown) => {
    if (isRefused(answer)) reject(new ResearchRefused(answer.refusal));
    else if (isAnswer(answer)) resolve(answer);
  });
  worker.on('error', reject);
  worker.on('exit', (code) => reject(new Error(`the thread of a backtest or sweep ended with ${code}`)));
  const aborted = (): void => reject(signal.reason);
  signal.addEventListener('abort', aborted, { once: true });
  try {
    signal.throwIfAborted();
    return await promise;
  } finally {
    signal.removeEventListener('abort', aborted);
    await worker.terminate();
  }
}
