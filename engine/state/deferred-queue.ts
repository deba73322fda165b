/** So few wait for nobody; of more, as when all candles close, so many are done in one go. */
const [FEW, IN_ONE_GO] = [8, 50];
/** What waits for a quiet moment waits no longer than this. */
const LONGEST_MS = 20;

/**
 * Jobs that may wait until the prices and candles which came with them have been answered, such as writing down why nothing
 * was done; in order, and a few at a time, so that no price waits for all of them.
 */
export interface DeferredQueue {
  readonly size: number;
  add(job: () => void): void;
  /** Does at once whatever is left. */
  drain(): void;
}

/** `fail` is told what a job throws; the others are done all the same. */
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
    if (!grows) run(IN_ONE_GO);
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
