import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkCore, CORE_RULES, noSpin } from './spin.ts';

/** Fewer states mean that a step of the core can no longer be reached. */
const STATES = 1_000_000;

describe('the core of the order protocol', { skip: noSpin }, () => {
  test('every interleaving of intents, kill switch, lease and crashes is sound', async () => {
    const { holds, states } = await checkCore();
    assert.ok(holds);
    assert.ok(states > STATES, String(states));
  });

  for (const rule of CORE_RULES)
    test(`an interleaving breaks the core with ${rule}`, async () => {
      assert.equal((await checkCore(rule)).holds, false);
    });
});
