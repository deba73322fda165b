/** Long enough for all candles of a minute to be decided first, short beside the time in which records are written. */
const WAIT_MS = 25;
const JOBS_A_TURN = 20;

/**
 * Work that nothing waits for: each job is done once, in order, a little after it was handed in and a few at a time, so that
 * prices are answered in between. `fail` is told of what a job throws.
 */
export function createBacklog(fail: (error: unknown) => void): (job: () => void) => void {
  const jobs: (() => void)[] = [];
  let waiting = false;
  const work = (): void => {
    try {
      for (const job of jobs.splice(0, JOBS_A_TURN)) job();
    } catch (error) {
      fail(error);
    }
    waiting = jobs.length > 0;
    if (waiting) setImmediate(work);
  };
  return (job) => {
    jobs.push(job);
    if (!waiting) setTimeout(work, WAIT_MS);
    waiting = true;
  };
}
