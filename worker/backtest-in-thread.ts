import { type MessagePort, Worker } from 'node:worker_threads';
import { isObject } from '#core/merge.ts';
import type { RobustnessReport, RobustnessInput } from '#backtest/robustness.ts';
import type { BacktestOutcome } from '#backtest/run.ts';
import type { ProfileId } from '#core/ids.ts';
import type { RunLimits } from '#core/research/research.ts';
import { type Prepared, ResearchRefused } from '#worker/jobs/prepared.ts';
import { watchThread } from '#worker/strategy/watch.ts';

/** Input of a backtest thread; its coins share a balance. */
export interface BacktestStart {
  readonly inputs: readonly (Prepared & { readonly profileId: ProfileId })[];
  /** Limits that apply to the run. */
  readonly limits?: RunLimits;
  /** Result of the backtest; when set, the thread runs the robustness report instead. */
  readonly result?: RobustnessInput['result'];
}
export const isBacktestStart = (value: unknown): value is BacktestStart => isObject(value) && 'inputs' in value;

const isOutcome = (value: unknown): value is BacktestOutcome => isObject(value) && 'kind' in value;
const isExamination = (value: unknown): value is RobustnessReport => isObject(value) && 'monteCarlo' in value;

/** Runs a backtest in a separate thread, so that trading continues. Rejects when aborted or refused. */
export const runBacktestInThread = (start: BacktestStart, signal: AbortSignal): Promise<BacktestOutcome> =>
  runInThread({ program: BACKTEST, start, isAnswer: isOutcome, signal });

/** Runs the robustness report of a finished backtest in the same way. */
export const examineInThread = (
  start: BacktestStart & Required<Pick<BacktestStart, 'result'>>,
  signal: AbortSignal,
): Promise<RobustnessReport> => runInThread({ program: BACKTEST, start, isAnswer: isExamination, signal });

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
  worker.on('error', reject);
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
