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

/** So many seeds in a row play every cell of the grid; fewer are spread over it. */
const WHOLE = GRID.length;
const SEEDS = Number(process.env['FAULT_SEEDS'] ?? WHOLE);
const first = Number(process.env['FAULT_SEED'] ?? 0);
const step = Math.max(1, Math.floor(WHOLE / SEEDS));
/** Programs beside each other, and schedules that each of them plays at a time: most of a play is waiting. */
const [PROGRAMS, JOBS] = [2, 6];
const played = z.object({ cell: z.string(), reached: z.boolean() });

/** Plays every nth of the seeds in a program of its own and answers with what it printed. */
async function playShare(nth: number): Promise<string> {
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
  const outputs = await Promise.all(Array.from({ length: Math.min(PROGRAMS, SEEDS) }, (_, nth) => playShare(nth)));
  const lines = outputs.flatMap((output) => output.match(/(?<=^seed \d+: ).*/gm) ?? []);
  const results = lines.map((line) => played.parse(JSON.parse(line)));
  console.log(reachedTable(results));
  assert.equal(results.length, SEEDS);
  // Which cells are met is the machine's choice; a column that none meets waits for something that does not exist.
  if (SEEDS < WHOLE) return;
  const met = new Set(results.filter(({ reached }) => reached).map(({ cell }) => cell));
  const columns = Map.groupBy(GRID, ({ column }) => column);
  const never = [...columns].filter(([, cells]) => !cells.some(({ name }) => met.has(name))).map(([column]) => column);
  assert.deepEqual(never, [], 'no schedule of these columns met its order');
});

test('every planted bug finds its text once, and its cell', () => {
  for (const [name, { file, text, cell }] of Object.entries(PLANTED)) {
    assert.equal(readFileSync(join(ROOT, file), 'utf8').split(text).length, 2, `${name} in ${file}`);
    assert.ok(
      GRID.some((each) => each.name === cell),
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
