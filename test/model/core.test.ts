import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkCore, CORE_NAMES, CORES, noSpin } from './spin.ts';

/** Fewer states mean that a step can no longer be reached. */
const STATES = { 'core.pml': 1_000_000, 'lists.pml': 140_000 };
const WHAT = {
  'core.pml': 'intents, kill switch, lease and crashes',
  'lists.pml': 'order lists, their executions, cancels and crashes',
};

describe('the core of the order protocol', { skip: noSpin }, () => {
  for (const name of CORE_NAMES) {
    test(`every interleaving of ${WHAT[name]} is sound`, async () => {
      const { holds, states } = await checkCore(name);
      assert.ok(holds);
      assert.ok(states > STATES[name], String(states));
    });

    for (const rule of CORES[name])
      test(`an interleaving breaks ${name} with ${rule}`, async () => {
        assert.equal((await checkCore(name, rule)).holds, false);
      });
  }
});
