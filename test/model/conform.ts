import { provideDatabase } from '#test/harness/servers.ts';
import { PLANTED, plant } from '#test/faults/planted.ts';
import type { RecordedRun } from '#test/faults/pool.ts';

/** Runs that one process of the checker replays. */
const SHARE = 20;

interface ConformOptions {
  readonly count: number;
  readonly from: number;
  /** Schedules at a time: a run waits most of the time. */
  readonly jobs: number;
  /** A bug of test/faults/planted.ts to run the schedules of its cell with; ends at the first refused run. */
  readonly planted?: string | undefined;
}

/**
 * Records the protocol steps of fault schedules, replays them through the model and prints each refused step. Returns how
 * many runs were replayed, and how many of them were refused.
 */
export async function conform(
  options: ConformOptions,
): Promise<{ readonly replayed: number; readonly refused: number }> {
  const { count, from, jobs, planted } = options;
  if (planted !== undefined) plant(planted);
  // Loaded only now: a bug must be planted first.
  const { openPool } = await import('#test/faults/pool.ts');
  const { GRID, seedsOf } = await import('#test/faults/schedule.ts');
  const { replay } = await import('./replay.ts');
  await using stack = new AsyncDisposableStack();
  process.env['TEST_DATABASE_URL'] = await provideDatabase(stack, new AbortController().signal);
  const step = Math.max(1, Math.floor(GRID.length / count));
  const cell = planted === undefined ? undefined : PLANTED[planted]?.cell;
  const seeds = seedsOf(cell, { first: from, count, step });
  const waiting: RecordedRun[] = [];
  const reports: string[] = [];
  let replayed = 0;
  let replaying: Promise<unknown> = Promise.resolve();
  let broken = false;
  const replayNow = (most: number): void => {
    const share = waiting.splice(0, most);
    replaying = replaying.then(async () => {
      const refused = await replay(share);
      replayed += share.length;
      reports.push(...refused);
      for (const report of refused) console.log(report);
      console.log(`${replayed} runs replayed, ${reports.length} refused`);
    });
    // Awaited below, and an error ends the schedules: the program must not end before they do.
    replaying.catch(() => (broken = true));
  };
  const pool = stack.use(
    openPool((run) => {
      waiting.push(run);
      if (planted !== undefined || waiting.length >= SHARE) replayNow(SHARE);
    }),
  );
  const isOver = (): boolean => broken || (planted !== undefined && reports.length > 0);
  const work = async (): Promise<void> => {
    for (let seed = seeds.shift(); seed !== undefined && !isOver(); seed = seeds.shift()) {
      // The oracle of the schedule judges the run; its steps are replayed in any case.
      await pool
        .run(seed)
        .catch((error: unknown) => console.log(`seed ${seed} failed: ${String(error).split('\n')[0]}`));
      if (planted !== undefined) await replaying;
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  if (waiting.length > 0) replayNow(waiting.length);
  await replaying;
  return { replayed, refused: reports.length };
}
