import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openCompany } from './play.ts';
import { drawSchedule, GRID } from './schedule.ts';

/** Enough for every cell of the grid; FAULT_SEEDS, or npm run faults, plays as many as there is time for. */
const SEEDS = Number(process.env['FAULT_SEEDS'] ?? 4);
const first = Number(process.env['FAULT_SEED'] ?? 0);
const seeds = Array.from({ length: SEEDS }, (_, index) => first + index);

describe(`orders, fills and halts stay true under ${SEEDS} schedules of faults`, { concurrency: 5 }, () => {
  const company = openCompany();
  after(() => company[Symbol.asyncDispose]());
  for (const seed of seeds)
    test(`seed ${seed}: ${drawSchedule(seed).cell.name}`, async () => void (await company.play(seed)));
});

test('a seed draws the same schedule every time, and another one another', () => {
  assert.deepEqual(drawSchedule(first), drawSchedule(first));
  assert.notDeepEqual(drawSchedule(first).steps, drawSchedule(first + 1).steps);
});

test('the seeds of npm test cross every fault with everything', () => {
  const cells = new Set(Array.from({ length: 200 }, (_, seed) => drawSchedule(seed).cell.name));
  assert.deepEqual([...cells].toSorted(), GRID.map(({ name }) => name).toSorted());
});
