import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type AccountId, newId } from '#core/ids.ts';
import { saveApiKey } from '#storage/operator/accounts.ts';
import { restoreBackup } from '#storage/backup/restore.ts';
import { takeBackup } from '#storage/backup/take.ts';
import { openDatabase } from './database.ts';
import { migrateDatabase } from './migrate.ts';
import { MIGRATIONS } from './migration-files.ts';
import { openEmptyDatabase, openTestDatabase } from '#test/harness/test-database.ts';
import { loadAccountsToRun, saveKeyStatus } from '#storage/trading/worker-profiles.ts';

/** The migrations of the version before the rules. */
let folder: URL;
let work: string;
before(async () => {
  work = await mkdtemp(join(tmpdir(), 'tradewind-strict-'));
  folder = pathToFileURL(`${work}/`);
  for (const name of await readdir(MIGRATIONS))
    if (name < '0019') await copyFile(new URL(name, MIGRATIONS), join(work, name));
});
after(() => rm(work, { recursive: true }));

const [USER, ACCOUNT, PROFILE, ORDER] = [newId(), newId(), newId(), newId()];

/** A database of that version with an order that two trades filled, of a profile that was deleted since. */
async function openOld() {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await openEmptyDatabase());
  await migrateDatabase(url, { folder });
  const database = stack.use(openDatabase(url, { max: 2 }));
  await database.pool.query(`
    insert into users (id, email, password_hash) values ('${USER}', 'old@example.org', '-');
    insert into accounts (id, user_id, name, binance_mode) values ('${ACCOUNT}', '${USER}', 'Old', 'testnet');
    insert into profiles (id, account_id, name, strategy_name, config) values ('${PROFILE}', '${ACCOUNT}', 'A', 'hold', '{}');
    insert into profile_symbols (profile_id, symbol) values ('${PROFILE}', 'BTCUSDT');
    insert into orders (id, account_id, epoch, profile_id, symbol, side, purpose, type, quantity, client_order_id,
        exchange_order_id, state, reason, decision, filled_quantity, filled_quote, fencing, halt_order, send_before,
        created_at, updated_at)
      values ('${ORDER}', '${ACCOUNT}', 1, gen_random_uuid(), 'BTCUSDT', 'buy', 'entry', 'market', 1, 'tw1-a', '7', 'filled',
        'r', '{}', 1, 100, 1, 1, now(), now(), now());
    insert into fills (account_id, epoch, symbol, trade_id, exchange_order_id, order_id, profile_id, side, price, quantity,
        quote_quantity, fee_amount, maker, realised, cycle, runner_version, at)
      select '${ACCOUNT}', 1, 'BTCUSDT', n::text, '7', '${ORDER}', profile_id, 'buy', 100, 0.5, 50, 0, false, 0, 1, n, now()
      from orders, generate_series(1, 2) as n;
    insert into ledger_entries (id, account_id, epoch, symbol, book, asset, amount, reason, trade_id, at)
      select gen_random_uuid(), '${ACCOUNT}', 1, 'BTCUSDT', book, 'BTC', amount, 'fill', n::text, now()
      from generate_series(1, 2) as n, (values ('wallet', 0.5), ('market', -0.5)) as one (book, amount)`);
  const kept = stack.move();
  return { url, database, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

test('stored history passes the rules, in an upgrade and in a restore of an older backup', async () => {
  await using old = await openOld();
  const path = join(work, 'old.backup');
  await takeBackup(old.database, path);
  await migrateDatabase(old.url);
  await using restored = await openTestDatabase();
  await restoreBackup(restored.database, path);
  for (const { database } of [old, restored]) {
    const { rows } = await database.pool.query(
      `select on_account, (select count(*)::int from fills) as fills from profile_symbols`,
    );
    assert.deepEqual(rows, [{ on_account: ACCOUNT, fills: 2 }]);
    await assert.rejects(database.pool.query('delete from fills'), /A fill is never changed/);
    const bind = `insert into profile_symbols (profile_id, symbol) values ('${PROFILE}', 'ETHUSDT') returning on_account`;
    assert.equal((await database.pool.query(bind)).rows[0]?.on_account, ACCOUNT, 'the triggers work on');
  }
  const again = join(work, 'new.backup');
  await takeBackup(restored.database, again);
  await restoreBackup(old.database, again);
  assert.equal((await old.database.pool.query('select from fills')).rowCount, 2);
});

test('accounts that share a key keep it, but only the oldest continues to buy with it', async () => {
  await using old = await openOld();
  const second = newId<AccountId>();
  await old.database.pool.query(`
    insert into accounts (id, user_id, name, binance_mode) values ('${second}', '${USER}', 'Second', 'testnet');
    insert into api_keys (account_id, api_key, secret, status) select id, 'one key', 's', 'healthy' from accounts`);
  await migrateDatabase(old.url);
  const keys = async () => (await loadAccountsToRun(old.database)).map(({ key }) => [key?.status, key?.cause]);
  const cause = 'The account "Old" has the same API key: store a key of its own for this account.';
  const shared = [
    ['healthy', null],
    ['error', cause],
  ];
  assert.deepEqual(await keys(), shared);
  const answer = { status: 'healthy', cause: null } as const;
  await saveKeyStatus(old.database, { accountId: second, apiKey: 'one key' }, answer);
  assert.deepEqual(await keys(), shared, 'that the exchange accepts the key changes nothing');
  const own = { accountId: second, label: '', apiKey: 'another key', secret: 's', status: null, checkedAt: null };
  await saveApiKey(old.database.kysely, own);
  await saveKeyStatus(old.database, { accountId: second, apiKey: 'another key' }, answer);
  assert.deepEqual((await keys())[1], ['healthy', null]);
});

test('rows that break a rule stay as they are, and the upgrade names them', async () => {
  const cases = [
    ['update orders set quantity = -1', new RegExp(`rows of orders break the rule orders_amounts_check: ${ORDER}\\.`)],
    [
      `update fills set price = 0 where trade_id = '2'`,
      /rows of fills break the rule fills_amounts_check: BTCUSDT 2\./,
    ],
    [
      `update fills set trade_id = '1', exchange_order_id = '8' where trade_id = '2'`,
      /recorded for two orders: BTCUSDT 1\./,
    ],
    [`update ledger_entries set trade_id = '1'`, /in the ledger twice: BTCUSDT 1/],
    [
      `insert into profiles (id, account_id, name, strategy_name, config) values ('${USER}', '${ACCOUNT}', 'B', 'hold', '{}');
       insert into profile_symbols (profile_id, symbol) values ('${USER}', 'BTCUSDT')`,
      /two profiles of one account have the same coin: BTCUSDT of A and B\. Correct them with the version before/,
    ],
  ] as const;
  for (const [change, words] of cases) {
    await using old = await openOld();
    await old.database.pool.query(change);
    await assert.rejects(migrateDatabase(old.url), words);
    const { rows } = await old.database.pool.query('select max(number) as newest from schema_migrations');
    assert.equal(rows[0]?.newest, 18, 'nothing was changed');
  }
});
