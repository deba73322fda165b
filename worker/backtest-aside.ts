import { Worker } from 'node:worker_threads';
import { isObject } from '#core/merge.ts';
import type { BacktestInput, BacktestOutcome } from '#backtest/run.ts';

/** A backtest as it is handed to a thread: the strategy by its name. */
export interface BacktestStart {
  readonly strategyName: string;
  readonly config: unknown;
  readonly input: Omit<BacktestInput, 'bound'>;
}
export const isBacktestStart = (value: unknown): value is BacktestStart => isObject(value) && 'input' in value;

const isOutcome = (value: unknown): value is BacktestOutcome => isObject(value) && 'kind' in value;

/** Runs a backtest in a thread of its own, so that trading goes on meanwhile. Rejects when aborted. */
export async function runBacktestAside(start: BacktestStart, signal: AbortSignal): Promise<BacktestOutcome> {
  const worker = new Worker(new URL('./backtest-thread.ts', import.meta.url), { workerData: start });
  const { promise, resolve, reject } = Promise.withResolvers<BacktestOutcome>();
  worker.on('message', (outcome: unknown) => {
    if (isOutcome(outcome)) resolve(outcome);
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
