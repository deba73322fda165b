import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { encodeRules } from '#core/market/symbol-codec.ts';
import { readDashboard } from '#api/contract/records.ts';
import { createProfile } from '#api/contract/profiles.ts';
import { watchStatements } from '#test/harness/watch-statements.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';
import { BTC, cachePrice, cacheRules, ETH } from '#test/api/test-records.ts';

/** Statements that time decides: the session is kept for less than a second, and cache and queue tidy up now and then. */
const ELSEWHERE = /"sessions"|delete from|pgboss/;

async function countStatements(api: TestApi): Promise<string[]> {
  // The first answer fills what is kept for the next ones.
  await api.call(readDashboard, {});
  using watch = watchStatements();
  await api.call(readDashboard, {});
  return watch.statements.map(({ text }) => text.slice(0, 100)).filter((text) => !ELSEWHERE.test(text));
}

test('the statements of the dashboard do not grow with profiles and coins, and one reads all cached values', async () => {
  await using api = await openTestApi();
  await api.signUp();
  await cacheRules(api, [BTC, ETH]);
  // Rules that were read are kept for some seconds; the account of a new installation is on paper.
  await api.cache.set(cacheKeys.rules('paper'), encodeRules([BTC, ETH]));
  await cachePrice(api, 'BTCUSDT', '50000');
  const { account } = await api.addProfile('First', { symbols: ['BTCUSDT'] });
  const few = await countStatements(api);
  for (const name of ['Second', 'Third'])
    await api.call(createProfile, { body: { accountId: account.id, name, strategyName: 'hold' } });
  const many = await countStatements(api);
  assert.equal(many.length, few.length, many.join('\n'));
  assert.ok(few.length <= 22, few.join('\n'));
  assert.equal(few.filter((text) => text.includes('cache_entries')).length, 1);
});
