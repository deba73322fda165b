import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { playSeed } from './play.ts';
import { drawSchedule } from './schedule.ts';

/** One shows that the stage works; FAULT_SEEDS, or npm run faults, plays as many as there is time for. */
const SEEDS = Number(process.env['FAULT_SEEDS'] ?? 1);
const first = Number(process.env['FAULT_SEED'] ?? 1);

describe(`orders, fills and halts stay true under ${SEEDS} schedule(s) of faults`, { concurrency: 4 }, () => {
  for (let seed = first; seed < first + SEEDS; seed++) {
    test(`seed ${seed}`, async () => {
      const { fills } = await playSeed(seed);
      assert.ok(fills > 0, `seed ${seed} traded nothing: a market that proves nothing`);
    });
  }
});

test('a seed draws the same schedule every time, and another one another', () => {
  assert.deepEqual(drawSchedule(first), drawSchedule(first));
  assert.notDeepEqual(drawSchedule(first).steps, drawSchedule(first + 1).steps);
});
