import type { BacktestOutcome } from '#backtest/run.ts';
import type { Comparison, Config, FromWorker, Past, Replay, ToWorker } from './summary.ts';

/** A thread that knows the past of one coin and answers one wish after the other. */
export class ReplayThread implements Disposable {
  private readonly worker: Worker;
  private readonly waiting: ((answer: FromWorker) => void)[] = [];

  constructor(past: Past) {
    this.worker = new Worker(new URL('./preview-worker.ts', import.meta.url), { type: 'module', name: 'preview' });
    this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.waiting.shift()?.(data);
    this.tell({ kind: 'past', past });
  }

  /** The saved and the edited config side by side. */
  async compare(strategy: string, saved: Config, edit: Config): Promise<Comparison> {
    const answer = await this.ask({ kind: 'compare', strategy, saved, edit });
    if (answer.kind !== 'compared') throw new Error(`The thread answered with ${answer.kind}.`);
    return answer.comparison;
  }

  /** One config in short, for one cell of many. */
  async attempt(strategy: string, config: Config): Promise<Replay> {
    const answer = await this.ask({ kind: 'attempt', strategy, config });
    if (answer.kind !== 'attempted') throw new Error(`The thread answered with ${answer.kind}.`);
    return answer.replay;
  }

  /** One config with everything there is to say about it. */
  async backtest(strategy: string, config: Config): Promise<BacktestOutcome> {
    const answer = await this.ask({ kind: 'backtest', strategy, config });
    if (answer.kind !== 'tested') throw new Error(`The thread answered with ${answer.kind}.`);
    return answer.outcome;
  }

  [Symbol.dispose](): void {
    this.worker.terminate();
  }

  private ask(wish: ToWorker): Promise<FromWorker> {
    const { promise, resolve } = Promise.withResolvers<FromWorker>();
    this.waiting.push(resolve);
    this.tell(wish);
    return promise;
  }

  private tell(message: ToWorker): void {
    this.worker.postMessage(message);
  }
}
