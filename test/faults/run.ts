import { parseArgs } from 'node:util';
import { provideDatabase } from '../harness/servers.ts';
import { plant } from './planted.ts';

const USAGE = `npm run faults -- [--seeds N] [--seed S] [--jobs J] [--cell CELL] [--plant BUG]
  --seeds N  how many schedules to play (default 203, the whole grid)
  --seed S   the first seed; alone it plays just this one
  --step N   from one seed to the next (default 1)
  --jobs J   how many at a time (default 2)
  --cell C   only schedules that begin with that cell of the grid, such as 'reply lost × entry'
  --plant B  plays the schedules against a worker with that bug (test/faults/planted.ts) until one fails, as it must`;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    step: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
    plant: { type: 'string' },
    cell: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

// What a killed worker has left behind must not keep the program.
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
  // Loaded only now, so that a bug can be planted first.
  const { openCompany } = await import('./play.ts');
  const { reachedTable, seedsOf } = await import('./schedule.ts');
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort(new Error('Stopped.')));
  const first = wholeNumber('--seed', values.seed ?? String(Math.floor(Math.random() * 1_000_000)));
  const count = wholeNumber('--seeds', values.seeds ?? (values.seed === undefined ? '203' : '1'));
  const jobs = wholeNumber('--jobs', values.jobs);
  await using stack = new AsyncDisposableStack();
  process.env['TEST_DATABASE_URL'] = await provideDatabase(stack, interrupted.signal);
  const company = stack.use(openCompany());
  const failed: number[] = [];
  const results: { cell: string; reached: boolean }[] = [];
  const seeds = seedsOf(values.cell, { first, count, step: wholeNumber('--step', values.step) });
  let played = 0;
  const isOver = (): boolean => interrupted.signal.aborted || (values.plant !== undefined && failed.length > 0);
  const work = async (): Promise<void> => {
    for (let seed = seeds.shift(); seed !== undefined && !isOver(); seed = seeds.shift()) {
      played += 1;
      await company.play(seed).then(
        (result) => {
          results.push(result);
          console.log(`seed ${seed}: ${JSON.stringify(result)}`);
        },
        (error: unknown) => {
          failed.push(seed);
          console.log(`FAILED ${error instanceof Error ? error.message : String(error)}`);
        },
      );
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  console.log(reachedTable(results));
  const words = failed.length === 0 ? '' : ` (seeds ${failed.toSorted((a, b) => a - b).join(', ')})`;
  console.log(`${played - failed.length} passed, ${failed.length} failed${words}`);
  return failed.length === 0 && !interrupted.signal.aborted ? 0 : 1;
}
