import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { ORDER_STATES, type OrderRecord } from '#core/order/order.ts';
import { deleteAccount } from '#storage/operator/accounts.ts';
import { ORDER_MOVES } from '#storage/trading/order-moves.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import {
  commitNext,
  fillOf,
  type Owner,
  RULES,
  seedNextOwner,
  seedOwner,
  seedProfile,
} from '#test/harness/test-trading.ts';
import { createTradingStore } from '#storage/trading/trading-store.ts';

/* Writes that only a faulty program would try, by SQL. */

let test: TestDatabase;
let owner: Owner;
let other: Owner;
let bought: OrderRecord;
let resting: OrderRecord;

async function buy(who: Owner, exchangeOrderId: string): Promise<OrderRecord> {
  const store = createTradingStore(test.database);
  const order = await commitNext(store, who);
  const fill = fillOf('buy', '0.4 @ 100', { exchangeOrderId });
  const request = { accountId: who.accountId, epoch: 1, orderId: order.id, fill, rules: RULES, cooldownMs: 0 };
  await store.applyFill({ ...request, feeQuote: null });
  return order;
}

before(async () => {
  test = await openTestDatabase();
  const store = createTradingStore(test.database);
  owner = await seedOwner(test.database);
  other = await seedNextOwner(test.database);
  bought = await buy(owner, '7');
  await buy(other, '8');
  resting = await commitNext(store, owner, { side: 'sell', purpose: 'stop' });
  await store.updateOrder(resting.id, { state: 'open', exchangeOrderId: '9' });
});
after(() => test[Symbol.asyncDispose]());

/** Runs statements, the last of which is refused; nothing of it stays. Returns the refusal. */
async function refusalOf(...statements: readonly string[]): Promise<pg.DatabaseError> {
  const client = await test.database.pool.connect();
  try {
    await client.query('begin');
    for (const statement of statements.slice(0, -1)) await client.query(statement);
    await client.query(statements.at(-1) ?? '');
  } catch (error) {
    assert.ok(error instanceof pg.DatabaseError, String(error));
    assert.match(error.code ?? '', /^23/, error.message);
    return error;
  } finally {
    await client.query('rollback');
    client.release();
  }
  return assert.fail(`PostgreSQL accepted: ${statements.join('; ')}`);
}

const refuses = async (statement: string, because: RegExp): Promise<void> => {
  const { message, constraint } = await refusalOf(statement);
  assert.match(`${constraint}: ${message}`, because, statement);
};

/** An insert of a copy of the rows that `where` selects, with other values in some columns. */
async function copyOf(table: string, where: string, changes: Readonly<Record<string, string>>): Promise<string> {
  const { rows } = await test.database.pool.query<{ name: string }>(
    'select column_name as name from information_schema.columns where table_name = $1 and table_schema = current_schema()',
    [table],
  );
  const names = rows.map(({ name }) => name);
  const values = names.map((name) => changes[name] ?? name);
  return `insert into ${table} (${names.join()}) select ${values.join()} from ${table} where ${where}`;
}

const copyOrder = (changes: Readonly<Record<string, string>>): Promise<string> =>
  copyOf('orders', `id = '${bought.id}'`, {
    ...{ id: 'gen_random_uuid()', client_order_id: `'tw1-copy'`, exchange_order_id: 'null' },
    ...changes,
  });
const copyFill = (changes: Readonly<Record<string, string>>): Promise<string> =>
  copyOf('fills', `order_id = '${bought.id}'`, { trade_id: `'900'`, runner_version: '900', ...changes });

describe('an order that no worker may write is refused', () => {
  const copies = [
    ['a state that is none', { state: `'banana'` }, /orders_state_check/],
    ['a form that is none', { type: `'banana'` }, /orders_form_check/],
    ['a limit order without a price', { type: `'limit'` }, /orders_form_check/],
    ['a negative quantity', { quantity: '-1', filled_quantity: '0' }, /orders_amounts_check/],
    ['a negative price', { price: '-1' }, /orders_amounts_check/],
    ['more filled than ordered', { filled_quantity: 'quantity * 10' }, /orders_amounts_check/],
    ['a negative fencing number', { fencing: '-1' }, /orders_fencing_check/],
    ['an exchange order id of another order', { exchange_order_id: `'7'` }, /orders_by_exchange_id/],
    ['a client order id of another order', { client_order_id: 'client_order_id' }, /client_order_id/],
    ['a profile that does not exist', { profile_id: 'gen_random_uuid()' }, /order_of_profile/],
    ['an account that does not exist', { account_id: 'gen_random_uuid()' }, /order_of_profile/],
  ] as const;
  for (const [what, changes, because] of copies) it(what, async () => refuses(await copyOrder(changes), because));

  it('the profile of another account', async () => {
    await refuses(await copyOrder({ profile_id: `'${other.profileId}'` }), /order_of_profile/);
  });

  const changes = [
    ['one exchange order id on every order', `exchange_order_id = '7' where exchange_order_id is null`],
    ['another exchange order id', `exchange_order_id = '70'`],
    ['no exchange order id any more', 'exchange_order_id = null where exchange_order_id is not null'],
    ['another quantity', 'quantity = quantity * 2'],
    ['another side', `side = 'sell' where side = 'buy'`],
    ['another account', `account_id = gen_random_uuid()`],
    ['an older fencing number', 'fencing = fencing - 1'],
    ['less filled than before', 'filled_quantity = 0 where filled_quantity > 0'],
  ] as const;
  for (const [what, change] of changes)
    it(`changed to ${what}`, async () => {
      const spare = await copyOrder({ state: `'open'`, filled_quantity: '0' });
      const { constraint } = await refusalOf(spare, `update orders set ${change}`);
      assert.match(constraint ?? '', /order_stays|orders_by_exchange_id/);
    });

  it('deleted', () => refuses(`delete from orders where id = '${resting.id}'`, /order_is_kept/));
});

it('an order moves between states as the table of moves says, and no other way', async () => {
  const client = await test.database.pool.connect();
  try {
    for (const from of ORDER_STATES)
      for (const to of ORDER_STATES) {
        await client.query('begin');
        await client.query(await copyOrder({ state: `'${from}'` }));
        const moved = await client.query(`update orders set state = '${to}' where client_order_id = 'tw1-copy'`).then(
          () => true,
          () => false,
        );
        await client.query('rollback');
        assert.equal(moved, from === to || ORDER_MOVES[from].includes(to), `${from} to ${to}`);
      }
  } finally {
    client.release();
  }
});

describe('a fill that no worker may write is refused', () => {
  const copies = [
    ['the same trade again', { trade_id: 'trade_id' }, /fills_pkey|fills_by_trade/],
    ['the same trade under another order', { trade_id: 'trade_id', exchange_order_id: `'70'` }, /fills_by_trade/],
    ['a negative quantity', { quantity: '-5' }, /fills_amounts_check/],
    ['a negative price', { price: '-1' }, /fills_amounts_check/],
    ['more than the order quantity', { quantity: '1000000000' }, /more is filled than order/],
    ['more than the order quantity, including earlier fills', { quantity: '0.7' }, /more is filled than order/],
    ['the other side than its order', { side: `'sell'` }, /does not belong to order/],
    ['another symbol than its order', { symbol: `'ETHUSDT'` }, /does not belong to order/],
    ['another account than its order', { account_id: 'gen_random_uuid()' }, /does not belong to order/],
    ['another exchange order than its order', { exchange_order_id: `'70'` }, /does not belong to order/],
    ['an order that does not exist', { order_id: 'gen_random_uuid()' }, /does not belong to order|fills_order_id_fkey/],
  ] as const;
  for (const [what, changes, because] of copies) it(what, async () => refuses(await copyFill(changes), because));

  it('changed or deleted', async () => {
    await refuses('update fills set price = price * 2', /fill_stays/);
    await refuses('delete from fills', /fill_stays/);
  });
});

describe('of positions, ledger, coins and leases are refused', () => {
  it('a negative position', () => refuses('update runner_states set quantity = -1', /runner_states_amounts_check/));
  it('a negative adjustment', () =>
    refuses(
      `insert into position_adjustments (profile_id, symbol, runner_version, reason, average_price, quantity, held, at)
        values ('${owner.profileId}', 'BTCUSDT', 900, 'drift', 1, -1, true, now())`,
      /position_adjustments_amounts_check/,
    ));
  it('the ledger rows of a fill again', async () =>
    refuses(await copyOf('ledger_entries', 'true', { id: 'gen_random_uuid()' }), /ledger_by_trade/));
  it('a ledger row that is changed or deleted', async () => {
    await refuses('update ledger_entries set amount = amount * 2', /ledger_stays/);
    await refuses('delete from ledger_entries', /ledger_stays/);
  });
  it('a coin that another profile of the account has', async () => {
    const second = await seedProfile(test.database, owner.accountId, 'Second');
    const bind = `insert into profile_symbols (profile_id, symbol) values ('${second}', 'BTCUSDT')`;
    await refuses(bind, /on_account_symbol/);
    await refuses(`update profile_symbols set on_account = '${other.accountId}'`, /profile_symbols/);
    const move = `update profiles set account_id = '${other.accountId}', name = 'Moved' where id = '${owner.profileId}'`;
    await refuses(move, /profile_id_fkey/);
  });
  it('a fencing number that falls, or comes again after the lease was given back', async () => {
    await refuses('update account_leases set fencing = fencing - 1', /fencing_rises/);
    const again = await refusalOf(
      `select nextval('fencing_number')`,
      'create temporary table old as select * from account_leases',
      'delete from account_leases',
      'insert into account_leases select * from old',
    );
    assert.equal(again.constraint, 'fencing_is_new');
  });
});

it('the deletion of an account takes its history along, and none of another', async () => {
  const gone = await seedNextOwner(test.database);
  await buy(gone, '10');
  const deletion = (more: string) =>
    test.database.transaction(async (transaction) => {
      await transaction.deleteFrom('profiles').where('id', '=', gone.profileId).execute();
      await deleteAccount(transaction, gone.accountId);
      await sql.raw(more).execute(transaction);
    });
  await assert.rejects(deletion('delete from fills'), /A fill is never changed/);
  await deletion('select 1');
  for (const table of ['fills', 'orders', 'ledger_entries'] as const) {
    const rows = await test.database.kysely.selectFrom(table).select('account_id').distinct().execute();
    assert.deepEqual(
      rows.map((row) => row.account_id).toSorted(),
      [owner.accountId, other.accountId].toSorted(),
      table,
    );
  }
});
