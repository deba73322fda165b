import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createProfile, deleteProfile, unbindCoin } from '#api/contract/profiles.ts';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { outcomeOf } from './outside.ts';
import { add, closeWatching, flow, openWatching, paramsOf, ready } from './watching.ts';
import { until } from './until.ts';

before(openWatching);
after(closeWatching);

/** Keys of the cache with a prefix, and whether each expires. */
async function expiring(prefix: string): Promise<Map<string, boolean>> {
  const { rows } = await flow().stack.database.pool.query<{ key: string; expires: boolean }>(
    'select key, expires_at is not null as expires from cache_entries where starts_with(key, $1)',
    [prefix],
  );
  return new Map(rows.map(({ key, expires }) => [key.slice(prefix.length), expires]));
}

test('prices, coin states and traces of ticks expire unless they are written again', async () => {
  const { profileId, stack } = flow();
  await until('a price and a state', async () =>
    (await Promise.all([cacheKeys.prices('paper'), cacheKeys.coinStates(profileId)].map(expiring))).every(
      ({ size }) => size > 0,
    ),
  );
  assert.deepEqual(await expiring(cacheKeys.prices('paper')), new Map([['BTCUSDT', true]]));
  assert.deepEqual(await expiring(cacheKeys.coinStates(profileId)), new Map([['BTCUSDT', true]]));
  // Without an open browser a trace is written some seconds later.
  await until('a trace that expires', async () => {
    const { rows } = await stack.database.pool.query(
      'select key from cache_list_heads where key = $1 and expires_at is not null',
      [cacheKeys.tickTrace(profileId)],
    );
    return rows.length === 1;
  });
});

test('a coin is priced only while a profile that is enabled has it', async () => {
  const { stack } = flow();
  const body = { accountId: stack.accountId, name: 'Idle', strategyName: 'hold', enabled: false, config: {} };
  await stack.call(createProfile, { body: { ...body, symbols: ['ETHUSDT'] } });
  // By the time another coin that was added later has a price, the idle one would have one too.
  await add('SOLUSDT');
  await ready('SOLUSDT');
  await until('two more prices', async () => {
    const { rows } = await stack.database.pool.query("select 1 from cache_entries where key like 'price:paper:%'");
    return rows.length >= 2;
  });
  assert.deepEqual([...(await expiring(cacheKeys.prices('paper'))).keys()].toSorted(), ['BTCUSDT', 'SOLUSDT']);
});

test('an unbound coin and a deleted profile leave nothing in the cache', async () => {
  const { stack, profileId, cache } = flow();
  await stack.call(unbindCoin, { params: paramsOf('SOLUSDT') });
  const state = cacheKeys.coinState(profileId, 'SOLUSDT');
  await until('the state of the coin to go', async () => (await cache.get(state)) === undefined);
  assert.ok((await cache.newest(cacheKeys.tickTrace(profileId), 1)).length > 0);
  await outcomeOf(stack, await stack.call(deleteProfile, { params: { id: profileId } }));
  assert.deepEqual(await cache.newest(cacheKeys.tickTrace(profileId), 1), []);
  assert.deepEqual([...(await cache.list(cacheKeys.coinStates(profileId))).keys()], []);
});
