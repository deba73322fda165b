import { Worker } from 'node:worker_threads';
import type { CandleColumns } from '#core/market/candle.ts';
import { sharedColumns } from '#core/market/candle-columns.ts';
import { isObject } from '#core/merge.ts';
import type { Series } from '#backtest/columns.ts';
import type { Evaluated } from '#backtest/sweep/row.ts';
import type { Evaluate, SweepBase, Window } from '#backtest/sweep/search.ts';
import type { StrategyFile } from '#strategies/strategy.ts';
import { StrategyRefused } from '#worker/strategy/version.ts';
import { watchThread } from '#worker/strategy/watch.ts';

/** Input of a thread. */
interface ThreadStart {
  readonly base: SweepBase;
  readonly strategyName: string;
  readonly file?: StrategyFile;
}

export const isThreadStart = (value: unknown): value is ThreadStart => isObject(value) && 'strategyName' in value;

interface ThreadOrder {
  readonly number: number;
  readonly configs: readonly unknown[];
  readonly window: Window;
}
export const isThreadOrder = (value: unknown): value is ThreadOrder => isObject(value) && 'configs' in value;

/**
 * Results of a thread. `returns` holds the daily returns of all sets, one after the other; `days` is the number of each
 * set.
 */
interface Answer {
  readonly number: number;
  readonly sets: readonly (Omit<Evaluated, 'returns'> & { readonly days: number })[];
  readonly returns: Float64Array<ArrayBuffer>;
}
const isAnswer = (value: unknown): value is Answer => isObject(value) && 'sets' in value;

/** Packs all returns into one buffer, which can be transferred to another thread instead of copied. */
export function packed(number: number, evaluated: readonly Evaluated[]): Answer {
  const sets = evaluated.map(({ by, numbers, returns }) => ({ by, numbers, days: returns.length }));
  const returns = new Float64Array(sets.reduce((sum, { days }) => sum + days, 0));
  let at = 0;
  for (const set of evaluated) {
    returns.set(set.returns, at);
    at += set.returns.length;
  }
  return { number, sets, returns };
}

function unpacked({ sets, returns }: Answer): Evaluated[] {
  let at = 0;
  return sets.map(({ by, numbers, days }) => {
    at += days;
    return { by, numbers, returns: returns.subarray(at - days, at) };
  });
}

/**
 * Sets that one thread takes at a time: enough to share averages, fewer towards the end, so that no thread waits long.
 */
const MOST_AT_ONCE = 512;
const LEAST_AT_ONCE = 16;
/** Share of an even division that a thread takes at once; the rest balances the threads. */
const SHARE_AT_ONCE = 0.8;
const PARTS_A_THREAD = 8;
/** Candles are shared and results are small: a thread needs a small young generation. */
const YOUNG_MB = 4;

interface ThreadOptions {
  readonly threads: number;
  readonly signal?: AbortSignal;
  onProgress?(done: number, total: number): void;
}

/** Threads that share the candles of one sweep. */
export class SweepThreads implements AsyncDisposable {
  readonly #workers: Worker[];
  readonly #options: ThreadOptions;

  constructor(start: ThreadStart, options: ThreadOptions) {
    const { signal, detail, gateSeries } = start.base;
    const shared = shareSeries(detail);
    const base = {
      ...start.base,
      detail: shared,
      signal: signal.columns === detail.columns ? shared : shareSeries(signal),
      ...(gateSeries === undefined ? {} : { gateSeries: gateSeries.map(shareSeries) }),
    };
    this.#options = options;
    const file = new URL('./sweep-thread.ts', import.meta.url);
    this.#workers = Array.from({ length: options.threads }, () => {
      const workerData = { ...start, base } satisfies ThreadStart;
      const worker = new Worker(file, { workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
      // The request that waits for it rejects.
      const unwatch = watchThread(worker, (sentence) => void worker.emit('error', new StrategyRefused(sentence)));
      return worker.once('exit', unwatch);
    });
  }

  /**
   * Results are in the order of the configs. Rejects when aborted or when a thread ends.
   */
  readonly evaluate: Evaluate = async (configs, window) => {
    const { threads, signal, onProgress } = this.#options;
    const least = Math.min(LEAST_AT_ONCE, Math.ceil(configs.length / (threads * PARTS_A_THREAD)));
    const results: (readonly Evaluated[])[] = [];
    let next = 0;
    let done = 0;
    const take = async (worker: Worker): Promise<void> => {
      while (next < configs.length) {
        signal?.throwIfAborted();
        const number = results.length;
        results.push([]);
        const start = next;
        next += Math.max(
          least,
          Math.min(MOST_AT_ONCE, Math.ceil(((configs.length - start) / threads) * SHARE_AT_ONCE)),
        );
        const answered = await request(worker, { number, configs: configs.slice(start, next), window }, signal);
        results[number] = answered;
        done += answered.length;
        onProgress?.(done, configs.length);
      }
    };
    await Promise.all(this.#workers.map(take));
    return results.flat();
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

function request(worker: Worker, order: ThreadOrder, signal: AbortSignal | undefined): Promise<readonly Evaluated[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Evaluated[]>();
  const answered = (answer: unknown): void => {
    if (isAnswer(answer) && answer.number === order.number) resolve(unpacked(answer));
  };
  const aborted = (): void => reject(signal?.reason);
  const exited = (code: number): void => reject(new Error(`a sweep thread ended with ${code}`));
  worker.on('message', answered).on('error', reject).on('exit', exited);
  signal?.addEventListener('abort', aborted);
  worker.postMessage(order);
  return promise.finally(() => {
    worker.off('message', answered).off('error', reject).off('exit', exited);
    signal?.removeEventListener('abort', aborted);
  });
}

function shareSeries({ interval, columns }: Series): Series {
  if (columns.close.buffer instanceof SharedArrayBuffer) return { interval, columns };
  const shared: CandleColumns = sharedColumns(columns.openMs.length);
  shared.openMs.set(columns.openMs);
  shared.open.set(columns.open);
  shared.high.set(columns.high);
  shared.low.set(columns.low);
  shared.close.set(columns.close);
  shared.volume.set(columns.volume);
  return { interval, columns: shared };
}
