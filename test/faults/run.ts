import { parseArgs } from 'node:util';
import { provideDatabase } from '#test/harness/servers.ts';
import { plant } from './planted.ts';

const TOTALS_EVERY = 100;

const USAGE = `npm run faults -- [--seeds N] [--from S] [--jobs J] [--cell CELL] [--plant BUG]
  --seeds N  how many schedules to run (default: the whole grid once)
  --from S   the first seed (default: a random one)
  --seed S   runs only this one
  --step N   from one seed to the next (default 1)
  --jobs J   how many at a time (default 2): a run waits most of the time
  --cell C   only schedules that begin with that cell of the grid, such as 'reply lost × entry'
  --plant B  runs the schedules against a worker with that bug (test/faults/planted.ts) until one fails, as it must
Totals are printed every ${TOTALS_EVERY} seeds and in the end, also after an interrupt.`;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    from: { type: 'string' },
    step: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
    plant: { type: 'string' },
    cell: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

// Leftovers of a killed worker must not keep the program running.
process.exit(values.help ? help() : await main());

function help(): number {
  console.log(USAGE);
  return 0;
}

function wholeNumber(flag: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`${flag} is "${text}", but must be a whole number.`);
}

async function main(): Promise<number> {
  if (values.plant !== undefined) plant(values.plant);
  // Loaded only now: a bug must be planted first.
  const { openPool } = await import('./pool.ts');
  const { GRID, reachedTable, seedsOf } = await import('./schedule.ts');
  const { openTally } = await import('./tally.ts');
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interrupted.abort(new Error('Stopped.')));
  const given = values.seed ?? values.from;
  const first = wholeNumber('--from', given ?? String(Math.floor(Math.random() * 1_000_000)));
  const count = values.seed === undefined ? wholeNumber('--seeds', values.seeds ?? String(GRID.length)) : 1;
  const jobs = wholeNumber('--jobs', values.jobs);
  await using stack = new AsyncDisposableStack();
  process.env['TEST_DATABASE_URL'] = await provideDatabase(stack, interrupted.signal);
  const pool = stack.use(openPool());
  const tally = openTally();
  const results: { cell: string; reached: boolean }[] = [];
  const seeds = seedsOf(values.cell, { first, count, step: wholeNumber('--step', values.step) });
  const isOver = (): boolean => interrupted.signal.aborted || (values.plant !== undefined && tally.failed.length > 0);
  const work = async (): Promise<void> => {
    for (let seed = seeds.shift(); seed !== undefined && !isOver(); seed = seeds.shift()) {
      await pool.run(seed).then(
        (result) => {
          results.push(result);
          console.log(`seed ${seed}: ${JSON.stringify(result)}`);
        },
        (error: unknown) => {
          const { message } = error instanceof Error ? error : new Error(String(error));
          tally.fail(seed, message);
          console.log(`FAILED ${message}`);
        },
      );
      tally.runs += 1;
      if (tally.runs % TOTALS_EVERY === 0) console.log(tally.summary());
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  console.log(reachedTable(results));
  console.log(tally.summary());
  return tally.failed.length === 0 && !interrupted.signal.aborted ? 0 : 1;
}
