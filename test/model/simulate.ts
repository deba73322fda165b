import { readFileSync } from 'node:fs';
import { MODEL, quint } from './quint.ts';

/** Steps of a trace: an entry, its stop and a sale take about fifteen. */
const STEPS = 24;
/** Traces of one process: long enough that reading the model does not count, short enough to share the work evenly. */
const SHARE = 2_500;
/** A planted fault is found within this many traces. */
const FAULT_TRACES = 5_000;

const modelText = readFileSync(MODEL, 'utf8');
const namesBy = (pattern: RegExp): string[] => [...modelText.matchAll(pattern)].map(([, name = '']) => name);

/** The invariants: for each, the model has a module in which one rule is left out. */
export const INVARIANTS: readonly string[] = namesBy(/^module (\w+)Broken /gm);
const WITNESSES: readonly string[] = namesBy(/^ {2}val (reaches\w+) /gm);

interface Simulation {
  readonly traces: number;
  /** In how many traces each situation occurred. */
  readonly reached: ReadonlyMap<string, number>;
}

interface SimulationOptions {
  readonly traces: number;
  readonly seed: number;
  /** Processes at a time. */
  readonly jobs: number;
  readonly onShare?: (done: number) => void;
}

/** Simulates the protocol. Throws with the trace when an invariant does not hold. */
export async function simulate({ traces, seed, jobs, onShare }: SimulationOptions): Promise<Simulation> {
  const share = Math.min(SHARE, Math.ceil(traces / jobs));
  const shares = Array.from({ length: Math.ceil(traces / share) }, (_, nth) => ({
    seed: seed + nth * SHARE,
    count: Math.min(share, traces - nth * share),
  }));
  const reached = new Map(WITNESSES.map((name) => [name, 0]));
  let done = 0;
  const work = async (): Promise<void> => {
    for (let next = shares.shift(); next !== undefined; next = shares.shift()) {
      for (const [name, count] of await simulateShare(next)) reached.set(name, (reached.get(name) ?? 0) + count);
      done += next.count;
      onShare?.(done);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return { traces: done, reached };
}

const runArgs = (main: string, seed: number, traces: number): string[] => [
  ...[MODEL, `--main=${main}`, `--seed=0x${seed.toString(16)}`],
  ...[`--max-samples=${traces}`, `--max-steps=${STEPS}`],
];

async function simulateShare(share: { readonly seed: number; readonly count: number }): Promise<[string, number][]> {
  const args = [...runArgs('protocol', share.seed, share.count), '--invariants', ...INVARIANTS, '--verbosity=1'];
  const { ok, output } = await quint('run', ...args, '--witnesses', ...WITNESSES);
  if (!ok) throw new Error(`The protocol breaks an invariant.\n${await explain(output)}`);
  return [...output.matchAll(/^(\w+) was witnessed in (\d+) trace/gm)].map(([, name = '', count]) => [
    name,
    Number(count),
  ]);
}

/** Runs the failed trace again and returns its states, with the command. */
async function explain(output: string): Promise<string> {
  const seed = Number(/--seed=(0x[0-9a-f]+)/.exec(output)?.[1]);
  if (Number.isNaN(seed)) return output;
  const args = [...runArgs('protocol', seed, 1), '--invariants', ...INVARIANTS];
  const again = await quint('run', ...args, '--verbosity=2');
  return `${again.output}\nquint run ${args.join(' ')}`;
}

/**
 * Simulates the model with one rule left out. Returns the invariant's name when a trace breaks it, else a sentence that
 * says what happened instead.
 */
export async function findFault(invariant: string, seed: number): Promise<string> {
  const args = [...runArgs(`${invariant}Broken`, seed, FAULT_TRACES), `--invariant=${invariant}`, '--verbosity=1'];
  const { output } = await quint('run', ...args);
  if (output.includes('[violation]')) return invariant;
  return output.includes('[ok]') ? `not found in ${FAULT_TRACES} traces` : output;
}
