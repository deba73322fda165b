import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { ROOT } from '#test/harness/source-files.ts';
import { PLANTED } from './planted.ts';
import { drawSchedule, GRID, reachedTable } from './schedule.ts';

/** This many consecutive seeds run every cell of the grid; fewer are spread over it. */
const WHOLE = GRID.length;
const SEEDS = Number(process.env['FAULT_SEEDS'] ?? WHOLE);
const first = Number(process.env['FAULT_SEED'] ?? 0);
const step = Math.max(1, Math.floor(WHOLE / SEEDS));
/** Parallel programs, and schedules that each of them runs at a time: a run waits most of the time. */
const [PROGRAMS, JOBS] = [2, 6];
const runResult = z.object({ cell: z.string(), reached: z.boolean() });

/** Runs every nth of the seeds in a separate program; returns its output. */
async function runShare(nth: number): Promise<string> {
  const numbers = {
    '--from': first + nth * step,
    '--step': PROGRAMS * step,
    '--seeds': Math.ceil((SEEDS - nth) / PROGRAMS),
    '--jobs': JOBS,
  };
  const args = Object.entries(numbers).flatMap(([flag, number]) => [flag, String(number)]);
  const child = spawn(process.execPath, ['test/faults/run.ts', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(child, 'close');
  assert.equal(child.exitCode, 0, output.slice(Math.max(0, output.indexOf('FAILED'))));
  return output;
}

test(`orders, fills and halts stay true under ${SEEDS} schedules of faults`, { timeout: 1_200_000 }, async () => {
  const outputs = await Promise.all(Array.from({ length: Math.min(PROGRAMS, SEEDS) }, (_, nth) => runShare(nth)));
  const lines = outputs.flatMap((output) => output.match(/(?<=^seed \d+: ).*/gm) ?? []);
  const results = lines.map((line) => runResult.parse(JSON.parse(line)));
  console.log(reachedTable(results));
  assert.equal(results.length, SEEDS);
  // Which cells are reached depends on the machine; a column without any waits for an order that never appears.
  if (SEEDS < WHOLE) return;
  const reached = new Set(results.filter(({ reached }) => reached).map(({ cell }) => cell));
  const columns = Map.groupBy(GRID, ({ column }) => column);
  const never = [...columns]
    .filter(([, cells]) => !cells.some(({ name }) => reached.has(name)))
    .map(([column]) => column);
  assert.deepEqual(never, [], 'no schedule of these columns reached its order');
});

test('every planted bug finds its text once, and its cell', () => {
  for (const [name, { file, text, cell }] of Object.entries(PLANTED)) {
    assert.equal(readFileSync(join(ROOT, file), 'utf8').split(text).length, 2, `${name} in ${file}`);
    assert.ok(
      GRID.some((entry) => entry.name === cell),
      `${name}: ${cell}`,
    );
  }
});

test('a seed draws the same schedule every time, and another one another', () => {
  assert.deepEqual(drawSchedule(first), drawSchedule(first));
  assert.notDeepEqual(drawSchedule(first).steps, drawSchedule(first + 1).steps);
});

test(`${WHOLE} seeds in a row cross every fault with everything`, () => {
  const cells = new Set(Array.from({ length: WHOLE }, (_, seed) => drawSchedule(seed).cell.name));
  assert.deepEqual([...cells].toSorted(), GRID.map(({ name }) => name).toSorted());
});
