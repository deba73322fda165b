import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { multiply, requireDecimal } from '#core/amount/decimal.ts';
import { restoreBackup } from '#storage/backup/restore.ts';
import { takeBackup } from '#storage/backup/take.ts';
import { openDatabase } from './database.ts';
import { migrateDatabase } from './migrate.ts';
import { MIGRATIONS } from './migration-files.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import {
  commitNext,
  d,
  exchangeIdOf,
  fillOf,
  type Owner,
  RULES,
  seedOwner,
  SYMBOL,
} from '#test/harness/test-trading.ts';
import { createTradingStore } from '#storage/trading/trading-store.ts';

/** Buys and sales in parts over several closed positions, with fees in the coin, in quote and in a third asset. */
const TRADES: readonly (readonly [side: 'buy' | 'sell', parts: readonly string[], fee: string])[] = [
  ['buy', ['0.3 @ 101.7', '0.7 @ 103.1'], 'BTC'],
  ['buy', ['0.33333 @ 97.77'], 'USDT'],
  ['sell', ['0.51 @ 111.11'], 'USDT'],
  ['buy', ['0.123 @ 99.99'], 'BNB'],
  ['sell', ['0.4 @ 88.8', '0.54 @ 88.7'], 'USDT'],
  ['buy', ['0.9 @ 70.07'], 'BTC'],
  ['sell', ['0.3 @ 75.5'], 'BNB'],
];

async function trade(on: Awaited<ReturnType<typeof openTestDatabase>>, owner: Owner): Promise<void> {
  const store = createTradingStore(on.database);
  let minute = 0;
  for (const [side, parts, feeAsset] of TRADES) {
    const purpose = side === 'buy' ? 'entry' : 'exit';
    const order = await commitNext(store, owner, { quantity: d('2'), side, purpose });
    for (const part of parts) {
      const plain = fillOf(side, part);
      const inQuote = multiply(plain.quoteQuantity, requireDecimal('0.001'));
      const feeAmount = feeAsset === 'BTC' ? multiply(plain.quantity, requireDecimal('0.001')) : inQuote;
      const at = new Date(plain.at.getTime() + 60_000 * ++minute);
      await store.applyFill({
        ...{ accountId: owner.accountId, epoch: 1, orderId: order.id, rules: RULES, cooldownMs: 0 },
        feeQuote: feeAsset === 'BNB' ? inQuote : null,
        fill: { ...plain, feeAsset, feeAmount, at, exchangeOrderId: exchangeIdOf(order) },
      });
    }
  }
}

/** Rows of an earlier version: profits without buy fees, fees in third assets only, no cost. */
const AS_BEFORE = `
  alter table fills disable trigger fill_stays;
  update fills set realised = realised + 1.25 where side = 'sell';
  update fills set fee_quote = 0 where fee_asset <> 'BNB';
  alter table fills enable trigger fill_stays;
  update equity_snapshots set realised = 99, position_cost = 99;
  drop trigger keep_position_history on runner_states;
  alter table runner_states drop column cost;
  delete from schema_migrations where number >= 24`;

test('stored profits are computed again net of all fees, as booking computes them, with a receipt', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tradewind-profit-'));
  t.after(() => rm(folder, { recursive: true }));
  for (const name of await readdir(MIGRATIONS))
    if (name < '0025') await copyFile(new URL(name, MIGRATIONS), join(folder, name));
  await using on = await openTestDatabase();
  const owner = await seedOwner(on.database);
  await trade(on, owner);
  const { pool } = on.database;
  const read = async (text: string): Promise<unknown[]> => (await pool.query(text)).rows;
  const profits = `select runner_version, trim_scale(realised) as realised, trim_scale(fee_quote) as fee from fills
    order by runner_version`;
  const coins = `select symbol, quantity, average_price, trim_scale(cost) as cost, trim_scale(cycle_net) as net from runner_states`;
  await pool.query(`insert into equity_snapshots (profile_id, at, realised, position_value, position_cost, prices)
    select profile_id, (select max(recorded_at) from fills), sum(realised), 1, (select cost from runner_states limit 1),
      '{"${SYMBOL}": "1"}' from fills group by profile_id`);
  const worth = 'select trim_scale(realised) as realised, trim_scale(position_cost) as cost from equity_snapshots';
  const [before, coinBefore, worthBefore] = [await read(profits), await read(coins), await read(worth)];
  assert.ok(before.length >= 9);
  await pool.query(AS_BEFORE);
  await migrateDatabase(on.url, { folder: pathToFileURL(`${folder}/`) });
  assert.deepEqual(await read(profits), before);
  assert.deepEqual(await read(coins), coinBefore);
  assert.deepEqual(await read(worth), worthBefore);
  const [receipt] = (await pool.query(`select before, after from audit_logs where action = 'profit.recomputed'`)).rows;
  assert.equal(receipt.after.sales, 4);
  assert.equal(receipt.before.realised - receipt.after.realised, 5);
});

test('a database that was migrated is restored again and again over the same connections', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tradewind-profit-'));
  t.after(() => rm(folder, { recursive: true }));
  await using on = await openTestDatabase();
  const path = join(folder, 'one.backup');
  await takeBackup(on.database, path);
  await using pool = openDatabase(on.url, { max: 2 });
  for (const _time of [1, 2, 3]) await restoreBackup(pool, path);
});
