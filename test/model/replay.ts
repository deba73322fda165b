import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordedRun } from '#test/faults/pool.ts';
import { quint } from './quint.ts';
import { type ModelStep, stepsOf } from './steps.ts';

/** Steps of the same run that a report shows before the refused one. */
const SHOWN = 25;

/** Numbers of a step, the bits of one, and the steps that one number of the module holds. */
const [WIDTH, BITS, CHUNK] = [10, 128, 16];

function pack({ name, numbers }: ModelStep, names: readonly string[]): bigint {
  const fields = [BigInt(names.indexOf(name)), ...numbers];
  while (fields.length < WIDTH) fields.push(0n);
  const middle = 1n << BigInt(BITS - 1);
  return fields.reduceRight((packed, field) => (packed << BigInt(BITS)) + field + middle, 0n);
}

function moduleOf(steps: readonly ModelStep[]): string {
  const names = [...new Set(steps.map(({ name }) => name))];
  const chunks = Array.from({ length: Math.ceil(steps.length / CHUNK) }, (_, nth) =>
    steps
      .slice(nth * CHUNK, (nth + 1) * CHUNK)
      .reduceRight((packed, step) => (packed << BigInt(BITS * WIDTH)) + pack(step, names), 0n),
  );
  return `module recorded {
  pure val WIDTH = ${WIDTH}
  pure val BITS = ${BITS}
  pure val CHUNK = ${CHUNK}
  pure val LENGTH = ${steps.length}
  pure val NAMES = [${names.map((name) => `"${name}"`).join(', ')}]
  pure val CHUNKS = [
    ${chunks.join(',\n    ')}
  ]
}
`;
}

interface Trace {
  readonly seed: number;
  readonly steps: readonly ModelStep[];
}

/** Replays recorded runs through the model. Returns a report for each run that has a step which the model refuses. */
export async function replay(runs: readonly RecordedRun[]): Promise<string[]> {
  const reports: string[] = [];
  let traces: readonly Trace[] = runs.map((run) => ({ seed: run.seed, steps: stepsOf(run) }));
  while (traces.length > 0) {
    const refused = await replayUntilRefused(traces);
    if (refused === undefined) break;
    reports.push(refused.report);
    traces = traces.slice(refused.trace + 1);
  }
  return reports;
}

interface Refused {
  /** Place of the run among those that were replayed. */
  readonly trace: number;
  readonly report: string;
}

async function replayUntilRefused(traces: readonly Trace[]): Promise<Refused | undefined> {
  const steps = traces.flatMap((trace) => trace.steps);
  const folder = await mkdtemp(join(tmpdir(), 'tradewind-model-'));
  try {
    for (const name of ['orders.qnt', 'replay.qnt'])
      await copyFile(join(import.meta.dirname, name), join(folder, name));
    await writeFile(join(folder, 'recorded.qnt'), moduleOf(steps));
    const names = ['--init=replayInit', '--step=replayStep', '--invariant=conforms', '--hide', 'replay::orders::s'];
    const bounds = ['--max-samples=1', `--max-steps=${steps.length - 1}`, '--verbosity=2'];
    const { ok, output } = await quint('run', join(folder, 'replay.qnt'), ...names, ...bounds);
    return ok ? undefined : refusedIn(traces, output);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function refusedIn(traces: readonly Trace[], output: string): Refused {
  const [, text] = /refused: (\d+)/.exec(output) ?? [];
  if (text === undefined) throw new Error(`The checker failed.\n${output.slice(-4_000)}`);
  let place = Number(text);
  for (const [trace, { seed, steps }] of traces.entries()) {
    if (place < steps.length) {
      const shown = steps.slice(Math.max(0, place - SHOWN), place + 1).map(({ says }) => `  ${says}`);
      const title = `The model refuses step ${place} of the run of seed ${seed}:`;
      return { trace, report: [title, ...shown].join('\n') };
    }
    place -= steps.length;
  }
  throw new Error(`The checker refused step ${text}, but there are fewer.`);
}
