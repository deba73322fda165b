import { after, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { openCompany } from './play.ts';
import { drawSchedule, GRID } from './schedule.ts';

/** So many seeds in a row play every cell of the grid; fewer are spread over it. */
const WHOLE = 200;
const SEEDS = Number(process.env['FAULT_SEEDS'] ?? 40);
const first = Number(process.env['FAULT_SEED'] ?? 0);
const step = Math.max(1, Math.floor(WHOLE / SEEDS));
const seeds = Array.from({ length: SEEDS }, (_, index) => first + index * step);

describe(`orders, fills and halts stay true under ${SEEDS} schedules of faults`, { concurrency: 5 }, () => {
  const company = openCompany();
  after(() => company[Symbol.asyncDispose]());
  for (const seed of seeds) {
    test(`seed ${seed}: ${drawSchedule(seed).cell.name}`, async (context) => {
      const { reached } = await company.play(seed);
      if (!reached) context.diagnostic('the order that this cell needs did not come');
    });
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
