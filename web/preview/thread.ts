import type { BacktestOutcome } from '#backtest/run.ts';
import type { Comparison, Config, FromWorker, Past, Replay, ToWorker } from './summary.ts';

/** A thread that holds the past of one coin and handles requests in sequence. */
export class ReplayThread implements Disposable {
  private readonly worker: Worker;
  private readonly waiting: ((answer: FromWorker) => void)[] = [];

  constructor(past: Past) {
    this.worker = new Worker(new URL('./preview-worker.ts', import.meta.url), { type: 'module', name: 'preview' });
    this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.waiting.shift()?.(data);
    this.post({ kind: 'past', past });
  }

  /** Runs the saved and the edited config. */
  async compare(strategy: string, saved: Config, edit: Config): Promise<Comparison> {
    const answer = await this.request({ kind: 'compare', strategy, saved, edit });
    if (answer.kind !== 'compared') throw new Error(`The thread answered with ${answer.kind}.`);
    return answer.comparison;
  }

  /** The summary of one config, for one cell of a heat map. */
  async attempt(strategy: string, config: Config): Promise<Replay> {
    const answer = await this.request({ kind: 'attempt', strategy, config });
    if (answer.kind !== 'attempted') throw new Error(`The thread answered with ${answer.kind}.`);
    return answer.replay;
  }

  /** The full result of one config. */
  async backtest(strategy: string, config: Config): Promise<BacktestOutcome> {
    const answer = await this.request({ kind: 'backtest', strategy, config });
    if (answer.kind !== 'tested') throw new Error(`The thread answered with ${answer.kind}.`);
    return answer.outcome;
  }

  [Symbol.dispose](): void {
    this.worker.terminate();
  }

  private request(message: ToWorker): Promise<FromWorker> {
    const { promise, resolve } = Promise.withResolvers<FromWorker>();
    this.waiting.push(resolve);
    this.post(message);
    return promise;
  }

  private post(message: ToWorker): void {
    this.worker.postMessage(message);
  }
}
