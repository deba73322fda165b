import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { testCacheContract } from './cache.contract.ts';
import { openCache } from './open-cache.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';

let own: TestDatabase | undefined;
const database = (): TestDatabase => {
  assert.ok(own !== undefined, 'The test database is open while tests run.');
  return own;
};
before(async () => {
  own = await openTestDatabase();
});
after(async () => {
  await own?.[Symbol.asyncDispose]();
});

testCacheContract({ url: () => database().url, open: (url) => openCache({ databaseUrl: url }) });

const countOf = async (table: string): Promise<number> => {
  const { rows } = await database().database.pool.query<{ count: number }>(
    `select count(*)::int as count from ${table}`,
  );
  return rows[0]?.count ?? -1;
};

test('entries beyond the cap are trimmed, not only hidden', async () => {
  await using cache = await openCache({ databaseUrl: database().url });
  await database().database.pool.query('truncate cache_lists, cache_list_heads');
  const batch = Array.from({ length: 500 }, (_, i) => String(i));
  for (let i = 0; i < 10; i++) await cache.append('trimmed', batch, { cap: 100 });
  const kept = await countOf('cache_lists');
  assert.ok(kept >= 100 && kept < 1_200, `${kept} rows are kept of 5,000 appended`);
});

test('the next start sweeps what has expired', async () => {
  await database().database.pool.query('truncate cache_entries, cache_hits, cache_lists, cache_list_heads');
  await using cache = await openCache({ databaseUrl: database().url });
  await cache.set('gone', 'value', -1);
  await cache.countInWindow('gone', -1);
  await cache.append('gone', ['entry'], { cap: 5, ttlMs: -1 });
  await cache.set('kept', 'value');
  await using _next = await openCache({ databaseUrl: database().url });
  assert.deepEqual(
    await Promise.all(['cache_entries', 'cache_hits', 'cache_lists', 'cache_list_heads'].map(countOf)),
    [1, 0, 0, 0],
  );
});

test('prices that are written again and again move no index entry', async () => {
  await using cache = await openCache({ databaseUrl: database().url });
  const price = (value: string) => new Map([['hot', { value, ttlMs: 3_600_000 }]]);
  await cache.setAll(price('1'));
  const expiries = new Set<string>();
  for (const value of ['2', '3', '4']) {
    await cache.setAll(price(value));
    const { rows } = await database().database.pool.query<{ at: string }>(
      "select expires_at::text as at from cache_entries where key = 'hot'",
    );
    expiries.add(rows[0]?.at ?? '');
  }
  assert.ok(expiries.size < 3, `${expiries.size} different expiries of three writes`);
});
