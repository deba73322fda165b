import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import type { CacheStore } from '#core/ports/cache.ts';
import { openCache } from '#storage/cache/open-cache.ts';
import { listEquity } from '#storage/history/equity.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import { seedOwner } from '#test/harness/test-trading.ts';
import { recordEquity } from './equity.ts';

const NOON = Date.UTC(2024, 0, 1, 12, 0, 30);
const MINUTE_MS = 60_000;
const resources = new AsyncDisposableStack();
let opened: TestDatabase;
let cache: CacheStore;
let owner: Awaited<ReturnType<typeof seedOwner>>;
before(async () => {
  opened = resources.use(await openTestDatabase());
  cache = resources.use(await openCache({ databaseUrl: opened.url }));
  owner = await seedOwner(opened.database);
});
after(() => resources.disposeAsync());

const record = (nowMs: number): Promise<void> =>
  recordEquity({ database: opened.database, cache }, new Map([[owner.accountId, 'paper']]), () => nowMs);
const snapshots = () => opened.database.kysely.selectFrom('equity_snapshots').selectAll().orderBy('at').execute();

test('equity is holdings at cached prices; an incomplete sum is never stored', async () => {
  const { database } = opened;
  const profile = { profile_id: owner.profileId };
  for (const symbol of ['BTCUSDT', 'ETHUSDT']) {
    await database.kysely
      .insertInto('profile_symbols')
      .values({ ...profile, symbol })
      .onConflict((c) => c.doNothing())
      .execute();
    const held = { quantity: '0.5', average_price: '100', cost: '50' };
    await database.kysely
      .insertInto('runner_states')
      .values({ ...profile, symbol, ...held })
      .onConflict((conflict) => conflict.columns(['profile_id', 'symbol']).doUpdateSet(held))
      .execute();
  }
  const price = (symbol: string, text: string) =>
    cache.set(cacheKeys.price('paper', symbol), JSON.stringify({ price: text, at: '2026-01-01T00:00:00.000Z' }));
  await price('BTCUSDT', '120');
  await record(NOON);
  assert.deepEqual(await snapshots(), [], 'ETHUSDT has no price');
  await price('ETHUSDT', '90.5');
  await record(NOON);
  const [one] = await snapshots();
  assert.deepEqual([one?.position_value, one?.position_cost], ['105.25', '100']);
  assert.deepEqual(one?.prices, { BTCUSDT: '120', ETHUSDT: '90.5' });
});

test('a point has the full minute of the market time, and there is one a minute', async () => {
  await record(NOON + 20_000);
  await record(NOON + MINUTE_MS);
  const times = (await snapshots()).map(({ at }) => at.toISOString());
  assert.deepEqual(times, ['2024-01-01T12:00:00.000Z', '2024-01-01T12:01:00.000Z']);
});

test('a long curve is shown by points at even times, although those of its first day are closer', async () => {
  const { kysely } = opened.database;
  const rest = { realised: '0', position_value: '1', position_cost: '1', prices: '{}' };
  const times = [
    ...Array.from({ length: 1440 }, (_, minute) => minute * MINUTE_MS),
    ...Array.from({ length: 9 * 96 }, (_, quarter) => (1440 + quarter * 15) * MINUTE_MS),
  ];
  await kysely.deleteFrom('equity_snapshots').execute();
  const rows = times.map((ms) => ({ profile_id: owner.profileId, at: new Date(NOON + ms), ...rest }));
  await kysely.insertInto('equity_snapshots').values(rows).execute();
  const shown = await listEquity(kysely, { profileId: owner.profileId, limit: 101 });
  assert.equal(shown.length, 101);
  const inFirstDay = shown.filter(({ at }) => at.getTime() < NOON + 1440 * MINUTE_MS).length;
  assert.ok(inFirstDay >= 9 && inFirstDay <= 12, `${inFirstDay} of 101 points are of the first of ten days`);
});
