import { Worker } from 'node:worker_threads';
import { isObject } from '#core/merge.ts';
import type { Examination, Examined } from '#backtest/examine.ts';
import type { BacktestInput, BacktestOutcome } from '#backtest/run.ts';

/** A backtest as it is handed to a thread: the strategy by its name; several coins are a basket. */
export interface BacktestStart {
  readonly strategyName: string;
  readonly config: unknown;
  readonly inputs: readonly Omit<BacktestInput, 'bound'>[];
  /** What it has come to: the thread then examines it instead. */
  readonly result?: Examined['result'];
}
export const isBacktestStart = (value: unknown): value is BacktestStart => isObject(value) && 'inputs' in value;

const isOutcome = (value: unknown): value is BacktestOutcome => isObject(value) && 'kind' in value;
const isExamination = (value: unknown): value is Examination => isObject(value) && 'monteCarlo' in value;

/** Runs a backtest in a thread of its own, so that trading goes on meanwhile. Rejects when aborted. */
export const runBacktestAside = (start: BacktestStart, signal: AbortSignal): Promise<BacktestOutcome> =>
  runAside(start, isOutcome, signal);

/** Examines what a backtest has come to, in the same way. */
export const examineAside = (
  start: BacktestStart & Required<Pick<BacktestStart, 'result'>>,
  signal: AbortSignal,
): Promise<Examination> => runAside(start, isExamination, signal);

async function runAside<T>(
  start: BacktestStart,
  isAnswer: (value: unknown) => value is T,
  signal: AbortSignal,
): Promise<T> {
  const worker = new Worker(new URL('./backtest-thread.ts', import.meta.url), { workerData: start });
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  worker.on('message', (answer: unknown) => {
    if (isAnswer(answer)) resolve(answer);
  });
  worker.on('error', reject);
  worker.on('exit', (code) => reject(new Error(`the thread of a backtest ended with ${code}`)));
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
