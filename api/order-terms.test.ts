import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { readOrderTerms } from '#api/contract/manual.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';
import { BTC, cacheRules } from '#test/api/test-records.ts';

let api: TestApi;
before(async () => {
  api = await openTestApi();
  await api.signUp();
});
after(() => api[Symbol.asyncDispose]());

test('the terms of a manual order: balance, fee, rules and the stop of the settings', async () => {
  const { account, profile } = await api.addProfile('Ticket', { symbols: ['BTCUSDT'] });
  const read = () => api.call(readOrderTerms, { params: { id: profile.id, symbol: 'BTCUSDT' } });
  const empty = await read();
  assert.deepEqual([empty.available, empty.takerFee, empty.rules], [null, null, null]);
  assert.ok(empty.stop !== null && Number(empty.stop.multiple) < 1);

  await cacheRules(api, [BTC]);
  const at = api.now().toISOString();
  const balances = { USDT: { free: '900', locked: '20' } };
  await api.cache.set(cacheKeys.wallet(account.id), JSON.stringify({ at, keptAt: at, balances, takerFee: 0.00075 }));
  const known = await read();
  assert.deepEqual([known.available, known.takerFee], ['900', 0.00075]);
  assert.deepEqual(known.rules?.lot, { step: '0.00001', min: '0.00001', max: '9000' });
  assert.equal(known.rules?.notional.min, '5');
});
