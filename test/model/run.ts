import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { findFault, INVARIANTS, simulate } from './simulate.ts';

const USAGE = `npm run model -- [--traces N] [--seed S] [--jobs J]
  --traces N  how many runs of the model to simulate (default 100000, about a quarter of an hour on two cores)
  --seed S    the first seed (default: a random one)
  --jobs J    processes at a time (default: the cores of the machine)
First each planted fault must be found, then no run may break an invariant.`;

const { values } = parseArgs({
  options: {
    traces: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 40)) },
    jobs: { type: 'string', default: String(availableParallelism()) },
    help: { type: 'boolean', default: false },
  },
});

process.exitCode = values.help ? help() : await main();

function help(): number {
  console.log(USAGE);
  return 0;
}

function wholeNumber(flag: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Error(`${flag} is "${text}", but must be a whole number.`);
}

async function main(): Promise<number> {
  const seed = wholeNumber('--seed', values.seed);
  const traces = wholeNumber('--traces', values.traces);
  const jobs = wholeNumber('--jobs', values.jobs);
  let failed = 0;
  for (const invariant of INVARIANTS) {
    const found = await findFault(invariant, seed);
    if (found === invariant) console.log(`The planted fault against ${invariant} is found.`);
    else {
      failed += 1;
      console.error(`The planted fault against ${invariant}: ${found}`);
    }
  }
  const startedMs = performance.now();
  const onShare = (done: number): void => console.log(`${done} of ${traces} traces hold`);
  const { reached } = await simulate({ traces, seed, jobs, onShare });
  for (const [name, count] of reached) console.log(`${name.padEnd(24)}${count}`);
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  console.log(`${traces} traces from seed ${seed} in ${seconds} s, no invariant is broken.`);
  return failed === 0 ? 0 : 1;
}
