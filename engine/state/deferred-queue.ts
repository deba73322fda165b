/** Up to FEW jobs run at once. A longer queue, as when all candles close, runs in batches. */
const [FEW, BATCH] = [8, 50];
/** Longest wait for a quiet moment. */
const LONGEST_MS = 20;

/**
 * Jobs that may wait until the engine has handled the prices and candles that arrived with them. An example is the
 * record of a decision that sent nothing. They run in order and in batches, so that no price waits for all of them.
 */
export interface DeferredQueue {
  readonly size: number;
  add(job: () => void): void;
  /** Runs all remaining jobs now. */
  drain(): void;
}

/** `fail` receives the error of a job; the other jobs still run. */
export function createDeferredQueue(fail: (error: unknown) => void): DeferredQueue {
  let jobs: (() => void)[] = [];
  let [done, seen, sinceMs] = [0, 0, 0];
  let next: NodeJS.Immediate | null = null;

  const run = (most: number): void => {
    const end = Math.min(jobs.length, done + most);
    while (done < end) {
      const job = jobs[done];
      done += 1;
      try {
        job?.();
      } catch (error) {
        fail(error);
      }
    }
    if (done < jobs.length) return;
    jobs = [];
    [done, seen] = [0, 0];
  };
  const turn = (): void => {
    const grows = jobs.length > seen && jobs.length > FEW && performance.now() - sinceMs < LONGEST_MS;
    seen = jobs.length;
    if (!grows) run(BATCH);
    next = jobs.length === 0 ? null : setImmediate(turn);
  };

  return {
    get size() {
      return jobs.length - done;
    },
    add(job) {
      if (jobs.length === 0) sinceMs = performance.now();
      jobs.push(job);
      next ??= setImmediate(turn);
    },
    drain() {
      while (jobs.length > 0) run(jobs.length);
    },
  };
}
