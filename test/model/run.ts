import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { conform } from './conform.ts';
import { findFault, INVARIANTS, simulate } from './simulate.ts';
import { checkCore, CORE_NAMES, CORES, noSpin } from './spin.ts';

const USAGE = `npm run model -- [--traces N] [--seed S] [--jobs J]
npm run model -- --conform N [--from S] [--jobs J] [--plant BUG]
  --traces N   how many runs of the model to simulate (default 100000, about a quarter of an hour on two idle cores)
  --seed S     the first seed (default: a random one)
  --jobs J     simulations at a time (default: the cores of the machine), or fault schedules at a time (default 6)
  --conform N  records N fault schedules of the real engine and replays their steps through the model instead
  --from S     the first seed of the schedules (default 0)
  --plant BUG  runs the schedules with that bug (test/faults/planted.ts) until the model refuses a step, as it must
The first form finds each planted fault, visits every state of the cores where spin is installed, then simulates.`;

const { values } = parseArgs({
  options: {
    traces: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 40)) },
    jobs: { type: 'string' },
    conform: { type: 'string' },
    from: { type: 'string', default: '0' },
    plant: { type: 'string' },
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
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Error(`${flag} is "${text}", but must be a whole number.`);
}

async function main(): Promise<number> {
  if (values.conform !== undefined) return replaySchedules(wholeNumber('--conform', values.conform));
  const failed = [...(await wrongFaults()), ...(await wrongCore())];
  for (const text of failed) console.error(text);
  await simulateMany();
  return failed.length === 0 ? 0 : 1;
}

async function replaySchedules(count: number): Promise<number> {
  const [from, jobs] = [wholeNumber('--from', values.from), wholeNumber('--jobs', values.jobs ?? '6')];
  const { replayed, refused } = await conform({ count, from, jobs, planted: values.plant });
  console.log(`${replayed} recorded runs replayed, ${refused} refused`);
  return refused === 0 ? 0 : 1;
}

async function wrongFaults(): Promise<string[]> {
  const wrong: string[] = [];
  for (const invariant of INVARIANTS) {
    const found = await findFault(invariant, wholeNumber('--seed', values.seed));
    if (found === invariant) console.log(`The planted fault against ${invariant} is found.`);
    else wrong.push(`The planted fault against ${invariant}: ${found}`);
  }
  return wrong;
}

async function wrongCore(): Promise<string[]> {
  if (noSpin !== false) {
    console.log(`﹣ ${noSpin}`);
    return [];
  }
  const wrong: string[] = [];
  for (const name of CORE_NAMES) {
    const { holds, states } = await checkCore(name);
    console.log(`${name}: ${states} states, ${holds ? 'all sound' : 'not all sound'}.`);
    if (!holds) wrong.push(`${name} is not sound.`);
    for (const rule of CORES[name]) if ((await checkCore(name, rule)).holds) wrong.push(`${name} holds with ${rule}.`);
  }
  return wrong;
}

async function simulateMany(): Promise<void> {
  const traces = wholeNumber('--traces', values.traces);
  const jobs = wholeNumber('--jobs', values.jobs ?? String(availableParallelism()));
  const startedMs = performance.now();
  const onShare = (done: number): void => console.log(`${done} of ${traces} traces hold`);
  const { reached } = await simulate({ traces, seed: wholeNumber('--seed', values.seed), jobs, onShare });
  for (const [name, count] of reached) console.log(`${name.padEnd(24)}${count}`);
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  console.log(`${traces} traces from seed ${values.seed} in ${seconds} s, no invariant is broken.`);
}
