import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCapital, readPositionSteps } from '#storage/history/performance.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { seedOwner } from '#test/harness/test-trading.ts';
import { capitalOf } from './performance-capital.ts';

const DAYS = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04'].map((day) => `${day}T00:00:00.000Z`);

interface Change {
  readonly symbol: string;
  readonly at: string;
  readonly version: number;
  readonly cost: number;
  readonly costChange: number;
}

async function openHistory() {
  const on = await openTestDatabase();
  const { accountId, profileId } = await seedOwner(on.database);
  const { kysely, pool } = on.database;
  const record = ({ symbol, at, version, cost, costChange }: Change) =>
    pool.query(
      `insert into position_history values ($1, $2, $3, $4, $5, $6::int, $6::int, $7::int, 1, $6::int > 0, sign($7::int), 0, 0, 0, 0)`,
      [accountId, profileId, symbol, at, version, cost, costChange],
    );
  const scope = { accountId, profileIds: [profileId], without: [], marks: DAYS };
  const both = async () => {
    const steps = await readPositionSteps(kysely, { accountId, marks: DAYS });
    const whole = await readCapital(kysely, { ...scope, held: { cost: '0', open: 0 } });
    return { kept: await capitalOf(kysely, { ...scope, steps }), whole };
  };
  return { record, both, [Symbol.asyncDispose]: () => on[Symbol.asyncDispose]() };
}

test('the capital of ended steps and of the last one is that of one read, also after further changes', async () => {
  await using history = await openHistory();
  await history.record({ symbol: 'BTCUSDT', at: '2026-03-01T06:00:00Z', version: 1, cost: 100, costChange: 100 });
  await history.record({ symbol: 'ETHUSDT', at: '2026-03-02T12:00:00Z', version: 1, cost: 50, costChange: 50 });
  const first = await history.both();
  assert.equal(first.whole.length, 3);
  assert.deepEqual(first.kept, first.whole);
  await history.record({ symbol: 'BTCUSDT', at: '2026-03-03T18:00:00Z', version: 2, cost: 0, costChange: -100 });
  const { kept, whole } = await history.both();
  assert.deepEqual(kept, whole);
});

test('a change that is recorded late counts in the step that had ended', async () => {
  await using history = await openHistory();
  await history.record({ symbol: 'BTCUSDT', at: '2026-03-01T06:00:00Z', version: 1, cost: 100, costChange: 100 });
  const before = await history.both();
  await history.record({ symbol: 'BTCUSDT', at: '2026-03-02T06:00:00Z', version: 2, cost: 0, costChange: -100 });
  const { kept, whole } = await history.both();
  assert.deepEqual(kept, whole);
  assert.notDeepEqual(kept, before.kept);
});
