import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { driftTests, driftVerdict } from './drift.ts';
import { compareResults, liveComparison, verdictOf } from './live-comparison.ts';

const real = (min: number, max: number) => fc.double({ min, max, noNaN: true });
/** Positions around a mean return, a few of them without any. */
const cycles = (most: number) =>
  fc
    .tuple(real(-0.05, 0.05), fc.array(fc.tuple(real(-0.03, 0.03), real(0, 500)), { maxLength: most }))
    .map(([mean, list]) =>
      list.map(([noise, cost], i) => ({ net: i % 17 === 16 ? 0 : (mean + noise) * cost, share: mean + noise })),
    );
const slippages = fc
  .tuple(real(-10, 40), fc.array(real(-8, 8), { maxLength: 200 }))
  .map(([mean, list]) => list.map((noise) => mean + noise));
const results = fc.record({
  tested: fc.record({ cycles: cycles(60), slippageBps: real(0, 30) }),
  live: fc.record({ cycles: cycles(200), slippages }),
});

test('each number, verdict and sentence is that of the drift watch', () => {
  const seen = new Set<string>();
  const property = fc.property(results, (given) => {
    const before = driftTests(given);
    const now = compareResults(given);
    const { tests } = liveComparison.shape.reference.unwrap().shape;
    assert.deepEqual(tests.parse(now), now);
    assert.deepEqual(
      now,
      before.map(({ lower: _lower, upper: _upper, ...kept }) => kept),
    );
    assert.equal(verdictOf(now), driftVerdict(before));
    for (const { measure, verdict } of now) seen.add(`${measure} ${verdict}`);
  });
  fc.assert(property, { numRuns: 3000, seed: 1 });
  assert.equal(seen.size, 9, 'each measure came to each verdict');
});
