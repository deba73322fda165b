import assert from 'node:assert/strict';
import test from 'node:test';
import { createExchangeClock } from './clock.ts';

/** A monotonic clock that each fetch advances. */
const machine = () => {
  let now = 1_000;
  return { monotonicMs: () => now, pass: (ms: number) => void (now += ms) };
};

test('a sample counts as read half a round trip ago', async () => {
  const { monotonicMs, pass } = machine();
  const clock = createExchangeClock(
    async () => {
      pass(40);
      return { serverTime: 5_000_000 };
    },
    { monotonicMs, samples: 1 },
  );
  await clock.sync();
  assert.equal(clock.protocolMs(), 5_000_020);
  assert.equal(clock.marketMs(), 5_000_020);
  pass(1_000);
  assert.equal(clock.protocolMs(), 5_001_020);
});

test('the shortest round trip of a sync counts', async () => {
  const { monotonicMs, pass } = machine();
  const trips = [200, 10, 90];
  const clock = createExchangeClock(
    async () => {
      const trip = trips.shift() ?? 0;
      pass(trip);
      return { serverTime: monotonicMs() };
    },
    { monotonicMs },
  );
  await clock.sync();
  // Server and machine agree, so that only half of the chosen round trip shows.
  assert.equal(clock.protocolMs() - monotonicMs(), 5);
});

test('a market that runs at another speed has a separate time', async () => {
  const { monotonicMs, pass } = machine();
  const clock = createExchangeClock(
    async () => {
      pass(10);
      return { serverTime: 1_000_000, marketTime: 500_000, marketSpeed: 600 };
    },
    { monotonicMs, samples: 1 },
  );
  assert.equal(clock.marketSpeed(), undefined, 'not reported yet');
  await clock.sync();
  assert.equal(clock.marketSpeed(), 600);
  assert.equal(clock.marketMs(), 500_000 + 5 * 600);
  pass(100);
  assert.equal(clock.marketMs(), 500_000 + 105 * 600);
  assert.equal(clock.protocolMs(), 1_000_105);
});

test('before the first sync the wall clock counts, and a failed sync changes nothing', async () => {
  const { monotonicMs, pass } = machine();
  const clock = createExchangeClock(() => Promise.reject(new Error('no network')), { monotonicMs, wallMs: () => 77 });
  pass(3);
  assert.equal(clock.protocolMs(), 80);
  await assert.rejects(clock.sync(), /no network/);
  assert.equal(clock.protocolMs(), 80);
});

test('a later sample that fails does not spoil the first', async () => {
  const { monotonicMs } = machine();
  let calls = 0;
  const clock = createExchangeClock(
    async () => {
      if (++calls > 1) throw new Error('no network');
      return { serverTime: 42 };
    },
    { monotonicMs },
  );
  await Promise.all([clock.sync(), clock.sync()]);
  assert.equal(clock.protocolMs(), 42);
  assert.equal(calls, 3, 'concurrent syncs share one');
});
