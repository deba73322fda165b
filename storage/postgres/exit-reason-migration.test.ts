import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrateDatabase } from './migrate.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import {
  d,
  exchangeIdOf,
  fillOf,
  intentOf,
  requireCommitted,
  RULES,
  seedOwner,
  SYMBOL,
} from '#test/harness/test-trading.ts';
import { createTradingStore } from '#storage/trading/trading-store.ts';

/** Two closed trades: one sold by hand after a part went at its stop, one by its stop. */
const ORDERS = [
  ['buy', 'entry-first', '1 @ 100'],
  ['sell', 'exit-protective-stop', '0.4 @ 97'],
  ['sell', 'force-sell', '0.6 @ 96'],
  ['buy', 'entry-first', '1 @ 90'],
  ['sell', 'exit-protective-stop', '1 @ 88'],
] as const;

test('closed trades of former versions get the reason of the order of their last sale', async () => {
  await using on = await openTestDatabase();
  const owner = await seedOwner(on.database);
  const store = createTradingStore(on.database);
  for (const [side, reason, amount] of ORDERS) {
    const { version } = await store.loadRunner(owner.profileId, SYMBOL);
    const order = { side, purpose: side === 'buy' ? 'entry' : 'exit', quantity: d('1') } as const;
    const intent = await store.commitIntent(intentOf(owner, { order, reason, expectedVersion: version }));
    const { record } = requireCommitted(intent);
    await store.applyFill({
      ...{ accountId: owner.accountId, epoch: 1, orderId: record.id, rules: RULES, cooldownMs: 0, feeQuote: null },
      fill: fillOf(side, amount, { exchangeOrderId: exchangeIdOf(record) }),
    });
  }
  const { pool } = on.database;
  const read = async () =>
    (await pool.query('select cycle, exit_reason from closed_cycles order by cycle')).rows.map(
      ({ cycle, exit_reason: reason }) => `${cycle} ${reason}`,
    );
  const booked = await read();
  assert.deepEqual(booked, ['1 force-sell', '2 exit-protective-stop']);
  await pool.query(
    'alter table closed_cycles drop column exit_reason; delete from schema_migrations where number = 25',
  );
  await migrateDatabase(on.url);
  assert.deepEqual(await read(), booked);
});
