import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestApi } from '#test/api/test-api.ts';
import { BTC, cachePrice, cacheRules, ETH, rulesOf } from '#test/api/test-records.ts';
import { watchStatements } from '#test/harness/watch-statements.ts';
import { COINS, fillYears } from '#test/bench/growth-data.ts';
import { readsOf, scansOf } from '#test/bench/growth-walk.ts';

/** With few rows PostgreSQL would read whole tables by choice; without that choice it does where no index serves. */
const ONLY_INDEXES = 'set local enable_seqscan = off';

test('every statement of every read finds its rows of a growing table by an index', async () => {
  await using api = await openTestApi();
  await api.signUp();
  const { account, profile } = await api.addProfile('Years');
  await cacheRules(api, [BTC, ETH, ...COINS.slice(2).map((symbol) => rulesOf(symbol, symbol.slice(0, -4)))]);
  for (const symbol of COINS) await cachePrice(api, symbol, '100');
  const owner = { accountId: account.id, profileId: profile.id };
  await fillYears(api.database, owner, { tradesOfCoin: 20, logs: 2_000 });
  const { rows } = await api.database.pool.query<{ id: string }>('select id from orders limit 1');
  const scanned: string[] = [];
  let count = 0;
  for (const { name, address } of readsOf({ ...owner, orderId: rows[0]?.id ?? '' })) {
    using watch = watchStatements();
    await api.request('GET', address);
    const statements = [...watch.statements];
    count += statements.length;
    for (const scan of await scansOf(api.database, statements, ONLY_INDEXES))
      scanned.push(`${name} reads all of ${scan}`);
  }
  assert.ok(count > 100, `only ${count} statements were seen`);
  assert.deepEqual(scanned, []);
});
