import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { notInstalled } from './quint.ts';
import { findFault, INVARIANTS, simulate } from './simulate.ts';

/** `npm run model` simulates fifty times as many. */
const TRACES = 2_000;
const SEED = 1;

describe('the model of the order protocol', { skip: notInstalled, timeout: 1_200_000 }, () => {
  test(`${TRACES} runs break no invariant and reach every situation`, async () => {
    const { traces, reached } = await simulate({ traces: TRACES, seed: SEED, jobs: 2 });
    assert.equal(traces, TRACES);
    const never = [...reached].filter(([, count]) => count === 0).map(([name]) => name);
    assert.deepEqual(never, []);
  });

  for (const invariant of INVARIANTS)
    test(`a run breaks ${invariant} when its rule is left out`, async () => {
      assert.equal(await findFault(invariant, SEED), invariant);
    });
});
