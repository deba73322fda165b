import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { NOT_HELD_NOTE } from '#core/position/cost-basis.ts';
import { multiply, requireDecimal } from '#core/amount/decimal.ts';
import type { AdjustmentRequest, TradingStore } from '#core/ports/store.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import {
  AT,
  commitNext,
  d,
  exchangeIdOf,
  fillOf,
  type Owner,
  RULES,
  seedNextOwner,
  seedOwner,
  SYMBOL,
} from '#test/harness/test-trading.ts';
import { createTradingStore } from '#storage/trading/trading-store.ts';
import { migrateDatabase } from './migrate.ts';

let base: TestDatabase;
let store: TradingStore;
let minute = 0;
before(async () => {
  base = await openTestDatabase();
  store = createTradingStore(base.database);
  await seedOwner(base.database);
});
after(() => base[Symbol.asyncDispose]());

/** The parts of one order, each a fill of its own a minute later. */
async function trade(owner: Owner, side: 'buy' | 'sell', parts: readonly string[], feeAsset: string): Promise<void> {
  const purpose = side === 'buy' ? 'entry' : 'exit';
  const order = await commitNext(store, owner, { quantity: d('3'), side, purpose });
  for (const part of parts) {
    const plain = fillOf(side, part);
    const inQuote = multiply(plain.quoteQuantity, requireDecimal('0.001'));
    const feeAmount = feeAsset === 'BTC' ? multiply(plain.quantity, requireDecimal('0.001')) : inQuote;
    const at = new Date(AT.getTime() + 60_000 * ++minute);
    await store.applyFill({
      ...{ accountId: owner.accountId, epoch: 1, orderId: order.id, rules: RULES, cooldownMs: 0 },
      feeQuote: feeAsset === 'BNB' && part !== parts.at(-1) ? inQuote : null,
      fill: { ...plain, feeAsset, feeAmount, at, exchangeOrderId: exchangeIdOf(order) },
    });
  }
}

async function adjust(owner: Owner, changes: Partial<AdjustmentRequest>): Promise<void> {
  await store.adjustPosition({
    account: { id: owner.accountId, epoch: 1 },
    fencing: owner.fencing,
    profileId: owner.profileId,
    symbol: SYMBOL,
    baseAsset: 'BTC',
    reason: 'average-entry-price',
    averagePrice: d('90'),
    quantity: d('0.5'),
    held: true,
    note: null,
    at: new Date(AT.getTime() + 60_000 * ++minute),
    basis: await store.costBasis(owner.profileId, SYMBOL),
    ...changes,
  });
}

async function tradeALot(owner: Owner): Promise<void> {
  await trade(owner, 'buy', ['0.3 @ 101.7', '0.7 @ 103.1'], 'BTC');
  await trade(owner, 'sell', ['0.51 @ 111.11'], 'USDT');
  await trade(owner, 'buy', ['0.123 @ 99.99', '0.1 @ 98'], 'BNB');
  await adjust(owner, { quantity: d('0.7'), averagePrice: d('97.3') });
  await trade(owner, 'sell', ['0.3 @ 88.8', '0.4 @ 88.7'], 'USDT');
  await adjust(owner, { quantity: d('0.2'), averagePrice: d('70') });
  await adjust(owner, { quantity: d('0'), averagePrice: d('0'), held: false, reason: 'phantom-pruned' });
  await trade(owner, 'buy', ['0.9 @ 70.07'], 'BTC');
  await trade(owner, 'sell', ['0.3 @ 75.5'], 'BNB');
}

/** Each row as text: second, version, quantity, cost, its change, trade, open, its change, net of the trade, the sums. */
const rowsOf = async ({ profileId }: Owner): Promise<string[]> =>
  (
    await base.database.pool.query(
      `select concat_ws(' ', extract(epoch from at)::bigint, version, trim_scale(quantity), trim_scale(cost),
         trim_scale(cost_change), cycle, is_open, open_change, trim_scale(cycle_net), trim_scale(realised),
         trim_scale(fees), unvalued_fees) as text
       from position_history where profile_id = $1 order by at, version`,
      [profileId],
    )
  ).rows.map(({ text }) => text);

test('each fill and each adjustment leaves the position that it led to', async () => {
  const owner = await seedNextOwner(base.database);
  await trade(owner, 'buy', ['1 @ 100'], 'USDT');
  await trade(owner, 'sell', ['0.4 @ 110', '0.6 @ 120'], 'USDT');
  const seconds = AT.getTime() / 1000 + 60 * (minute - 2);
  assert.deepEqual(await rowsOf(owner), [
    `${seconds} 2 1 100.1 100.1 1 t 1 0 0 0.1 0`,
    `${seconds + 60} 4 0.6 60.06 -40.04 1 t 0 3.916 3.916 0.144 0`,
    `${seconds + 120} 5 0 0 -60.06 1 f -1 0 15.784 0.216 0`,
  ]);
});

test('the last row is the stored position, and its sums are those of the fills', async () => {
  const owner = await seedNextOwner(base.database);
  await tradeALot(owner);
  const { rows } = await base.database.pool.query(
    `select trim_scale(sum(realised)) as realised, trim_scale(sum(fee_quote)) as fees,
       count(*) filter (where fee_quote is null) as unvalued from fills where profile_id = $1`,
    [owner.profileId],
  );
  const { position } = await store.loadRunner(owner.profileId, SYMBOL);
  const last = (await rowsOf(owner)).at(-1)?.split(' ') ?? [];
  const [, , quantity = '', cost = '', , , , , , ...sums] = last;
  assert.deepEqual([d(quantity), d(cost)], [position.quantity, position.cost]);
  assert.deepEqual(sums, [rows[0].realised, rows[0].fees, rows[0].unvalued]);
  assert.equal(rows[0].unvalued, '2');
});

test('a recorded price that nothing backs holds nothing and costs nothing', async () => {
  const owner = await seedNextOwner(base.database);
  await adjust(owner, { held: false, note: NOT_HELD_NOTE });
  assert.match((await rowsOf(owner)).join(), /^\d+ 1 0 0 0 0 f 0 0 0 0 0$/);
});

test('an intent adds no row: nothing is held yet', async () => {
  const owner = await seedNextOwner(base.database);
  await commitNext(store, owner);
  assert.deepEqual(await rowsOf(owner), []);
});

test('a fill that is reported late keeps the rows in the order of booking', async () => {
  const owner = await seedNextOwner(base.database);
  await trade(owner, 'buy', ['1 @ 100'], 'USDT');
  minute -= 2;
  await trade(owner, 'buy', ['1 @ 101'], 'USDT');
  const [first, second] = (await rowsOf(owner)).map((row) => row.split(' '));
  assert.deepEqual([first?.[0], first?.[2], second?.[2]], [second?.[0], '1', '2']);
});

test('fills and adjustments of former versions get the rows that booking writes', async () => {
  const owner = await seedNextOwner(base.database);
  await tradeALot(owner);
  const booked = await rowsOf(owner);
  assert.ok(booked.length >= 12);
  await base.database.pool.query(`drop trigger keep_position_history on runner_states;
    drop function keep_position_history; drop table position_history; drop index ledger_outside;
    delete from schema_migrations where number = 28`);
  await migrateDatabase(base.url);
  assert.deepEqual(await rowsOf(owner), booked);
});
