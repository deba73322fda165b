import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enableProfile, setAverageEntryPrice } from '#api/contract/profiles.ts';
import { openTestApi } from '#test/api/test-api.ts';

test('without trading rules the answer names them, not the API key', async () => {
  await using api = await openTestApi();
  await api.signUp();
  const { profile } = await api.addProfile('No rules', { symbols: ['BTCUSDT'] });
  await api.call(enableProfile, { params: { id: profile.id } });
  const params = { id: profile.id, symbol: 'BTCUSDT' };
  const problem = await api.refusal(setAverageEntryPrice, { params, body: { averageEntryPrice: '5' } });
  assert.equal(problem.status, 502);
  assert.match(problem.detail, /the trading rules of the exchange are not loaded/);
  assert.doesNotMatch(problem.detail, /API key/);
});
