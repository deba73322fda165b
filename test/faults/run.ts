import { parseArgs } from 'node:util';
import { provideDatabase } from '../harness/servers.ts';
import { plant } from './planted.ts';

const USAGE = `npm run faults -- [--seeds N] [--seed S] [--jobs J] [--plant BUG]
  --seeds N  how many schedules to play (default 200)
  --seed S   the first seed; alone it plays just this one
  --jobs J   how many at a time (default 2)
  --plant B  plays the schedules against a worker with that bug (test/faults/planted.ts): they must fail`;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    plant: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

process.exitCode = values.help ? help() : await main();

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
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort(new Error('Stopped.')));
  const first = wholeNumber('--seed', values.seed ?? String(Math.floor(Math.random() * 1_000_000)));
  const count = wholeNumber('--seeds', values.seeds ?? (values.seed === undefined ? '200' : '1'));
  const jobs = wholeNumber('--jobs', values.jobs);
  await using stack = new AsyncDisposableStack();
  process.env['TEST_DATABASE_URL'] = await provideDatabase(stack, interrupted.signal);
  const company = stack.use(openCompany());
  const failed: number[] = [];
  let next = first;
  const work = async (): Promise<void> => {
    while (next < first + count && !interrupted.signal.aborted) {
      const seed = next++;
      await company.play(seed).then(
        (played) => console.log(`seed ${seed}: ${JSON.stringify(played)}`),
        (error: unknown) => {
          failed.push(seed);
          console.log(`FAILED ${error instanceof Error ? error.message : String(error)}`);
        },
      );
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  const words = failed.length === 0 ? '' : ` (seeds ${failed.toSorted((a, b) => a - b).join(', ')})`;
  console.log(`${next - first - failed.length} passed, ${failed.length} failed${words}`);
  return failed.length === 0 && !interrupted.signal.aborted ? 0 : 1;
}
