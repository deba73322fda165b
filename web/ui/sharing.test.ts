import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultCount, resultName, sharingText } from './sharing.ts';

const limits = { timezone: 'UTC', limits: [] };

test('what the coins of a run share, in words', () => {
  const words = (coins: number, asked: Omit<Parameters<typeof sharingText>[0], 'coins'>) =>
    sharingText({ ...asked, coins: Array.from({ length: coins }) });
  assert.equal(words(3, { purse: 'shared', scope: 'profile', limits }), 'all coins, one balance, under the limits');
  assert.equal(words(3, { purse: 'shared', scope: 'profile', limits: undefined }), 'all coins, one balance');
  assert.equal(words(1, { purse: 'shared', scope: 'profile', limits }), 'under the limits');
  assert.equal(words(1, { purse: 'shared', scope: 'profile', limits: undefined }), undefined);
  assert.equal(words(2, { purse: 'separate', scope: 'profile', limits: undefined }), 'each coin has the whole balance');
  assert.match(words(2, { purse: 'shared', scope: 'account', limits: undefined }) ?? '', /^all profiles/);
  assert.equal(words(2, { purse: undefined, scope: 'profile', limits: undefined }), undefined, 'from before');
});

test('coins that share a balance have one result, with a name', () => {
  const coins = ['A', 'B'];
  assert.equal(resultCount({ purse: 'shared', scope: 'profile', limits: undefined, coins }), 1);
  assert.equal(resultCount({ purse: undefined, scope: 'profile', limits: undefined, coins }), 2);
  assert.deepEqual([resultName('basket'), resultName('BTCUSDT')], ['All coins, one balance', 'BTCUSDT']);
});
