import { ApiProblem } from '#api/frame/problem.ts';

/** Limits concurrent work; further work waits in order and is refused when the queue is full. */
export class Semaphore {
  readonly #atATime: number;
  readonly #mostWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atATime: number, mostWaiting: number) {
    this.#atATime = atATime;
    this.#mostWaiting = mostWaiting;
  }

  /** `patient` work always waits: a refusal would cut off an answer that is half sent. */
  async take<Result>(work: () => Promise<Result>, { patient = false } = {}): Promise<Result> {
    if (this.#running >= this.#atATime) await this.#wait(patient);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #wait(patient: boolean): Promise<void> {
    if (!patient && this.#waiting.length >= this.#mostWaiting)
      throw new ApiProblem('too_many_requests', 'This demo has too many requests to answer: try again in a moment.', {
        headers: { 'retry-after': '1' },
      });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
