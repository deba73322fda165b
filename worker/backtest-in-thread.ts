import { type MessagePort, Worker } from 'node:worker_threads';
import { isObject } from '#core/merge.ts';
import type { RobustnessReport } from '#backtest/robustness.ts';
import type { compareDryRun } from '#backtest/dry-run.ts';
import type { BacktestOutcome } from '#backtest/run.ts';
import { type BacktestStart, type DryRunStart, ResearchRefused, USED_ALL_MEMORY } from '#worker/jobs/prepared.ts';
import type { SweepProcess } from './sweep-process.ts';
import { watchThread } from '#worker/strategy/watch.ts';

type DryRunOutcome = ReturnType<typeof compareDryRun>;

export const isBacktestStart = (value: unknown): value is BacktestStart => isObject(value) && 'inputs' in value;

export const isDryRunStart = (value: unknown): value is DryRunStart =>
  isObject(value) && 'coins' in value && 'fromMs' in value;
const isDryRunOutcome = (value: unknown): value is DryRunOutcome => isObject(value) && 'totals' in value;

const isOutcome = (value: unknown): value is BacktestOutcome => isObject(value) && 'kind' in value;
const isAnyResult = (value: unknown): value is BacktestOutcome | RobustnessReport =>
  isOutcome(value) || isExamination(value);
const isExamination = (value: unknown): value is RobustnessReport => isObject(value) && 'monteCarlo' in value;

/** Where a backtest runs. */
interface Place {
  /** The process for strategy files. */
  readonly files: SweepProcess;
  readonly signal: AbortSignal;
}

/** Runs a backtest, so that trading continues. Rejects when aborted or refused. */
export const runBacktestApart = (start: BacktestStart, place: Place): Promise<BacktestOutcome> =>
  computeApart(start, isOutcome, place);

/** Makes the robustness report of a finished backtest in the same way. */
export const examineApart = (
  start: BacktestStart & Required<Pick<BacktestStart, 'result'>>,
  place: Place,
): Promise<RobustnessReport> => computeApart(start, isExamination, place);

/** Compares the two sides of a dry run in the same way. */
export async function compareApart(start: DryRunStart, { files, signal }: Place): Promise<DryRunOutcome> {
  const usesFile = start.coins.some(({ input }) => !('refused' in input) && input.present.file !== undefined);
  if (!usesFile) return computeDryRun(start, signal);
  const answer = await files.carryOut({ kind: 'dry-run', start }, signal);
  if (!isDryRunOutcome(answer)) throw new Error('the process of strategy files gave no result of a dry run');
  return answer;
}

/** A strategy file may use up the memory of its process, which must not be the one that trades. */
async function computeApart<T>(
  start: BacktestStart,
  isAnswer: (value: unknown) => value is T,
  { files, signal }: Place,
): Promise<T> {
  if (start.inputs.every(({ file }) => file === undefined)) return computeInThread(start, isAnswer, signal);
  const answer = await files.carryOut({ kind: 'backtest', start }, signal);
  if (!isAnswer(answer)) throw new Error('the process of strategy files gave no result of a backtest');
  return answer;
}

/** In the process of strategy files: the result or the report. Rejects with ResearchRefused. */
export const answerBacktest = (start: BacktestStart): Promise<unknown> =>
  computeInThread(start, isAnyResult, new AbortController().signal);

/** In the process of strategy files: the comparison of a dry run. Rejects with ResearchRefused. */
export const answerDryRun = (start: DryRunStart): Promise<unknown> =>
  computeDryRun(start, new AbortController().signal);

const computeDryRun = (start: DryRunStart, signal: AbortSignal): Promise<DryRunOutcome> =>
  runInThread({ program: DRY_RUN, start, isAnswer: isDryRunOutcome, signal });

const DRY_RUN = new URL('./dry-run-thread.ts', import.meta.url);

const computeInThread = <T>(
  start: BacktestStart,
  isAnswer: (value: unknown) => value is T,
  signal: AbortSignal,
): Promise<T> => runInThread({ program: BACKTEST, start, isAnswer, signal });

const BACKTEST = new URL('./backtest-thread.ts', import.meta.url);

/** Reply of a thread when the strategy or the data refuse. */
interface RefusedInThread {
  readonly refusal: string;
}
const isRefused = (value: unknown): value is RefusedInThread => isObject(value) && typeof value['refusal'] === 'string';

/** In a thread: posts the result of `work`, or the sentence of its refusal. */
export async function answerInThread(port: MessagePort, work: () => Promise<unknown>): Promise<void> {
  try {
    port.postMessage(await work());
  } catch (error) {
    if (!(error instanceof ResearchRefused)) throw error;
    port.postMessage({ refusal: error.message } satisfies RefusedInThread);
  }
}

const hasNoMemory = (error: unknown): boolean => isObject(error) && error['code'] === 'ERR_WORKER_OUT_OF_MEMORY';

interface InThreadInput<T> {
  readonly program: URL;
  readonly start: unknown;
  readonly isAnswer: (value: unknown) => value is T;
  readonly signal: AbortSignal;
}

/** Runs a program in a thread. Rejects with ResearchRefused when it refuses, or when its strategy file hangs. */
export async function runInThread<T>({ program, start, isAnswer, signal }: InThreadInput<T>): Promise<T> {
  const worker = new Worker(program, { workerData: start });
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  worker.on('message', (answer: unknown) => {
    if (isRefused(answer)) reject(new ResearchRefused(answer.refusal));
    else if (isAnswer(answer)) resolve(answer);
  });
  worker.on('error', (error) => reject(hasNoMemory(error) ? new ResearchRefused(USED_ALL_MEMORY) : error));
  worker.on('exit', (code) => reject(new Error(`the thread of a backtest ended with ${code}`)));
  const unwatch = watchThread(worker, (sentence) => reject(new ResearchRefused(sentence)));
  const aborted = (): void => reject(signal.reason);
  signal.addEventListener('abort', aborted, { once: true });
  try {
    signal.throwIfAborted();
    return await promise;
  } finally {
    unwatch();
    signal.removeEventListener('abort', aborted);
    await worker.terminate();
  }
}
