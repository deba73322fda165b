import type { Comparison, Config, FromWorker, Past, ToWorker } from './summary.ts';

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
    return (await this.request({ kind: 'compare', strategy, saved, edit })).comparison;
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
