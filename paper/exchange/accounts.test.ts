import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAccounts } from './accounts.ts';
import { BadInputError } from '#paper/bad-input.ts';

const good = { name: 'a', apiKey: 'k', secret: 's' };

for (const { name, raw, says } of [
  { name: 'no list', raw: {}, says: 'is broken: ' },
  { name: 'an empty list', raw: [], says: 'at least one account' },
  { name: 'no key at all', raw: [{ name: 'a', apiKey: 'k' }], says: 'needs either secret or publicKeyPem' },
  { name: 'both kinds of key', raw: [{ ...good, publicKeyPem: 'x' }], says: 'needs either secret or publicKeyPem' },
  {
    name: 'a PEM that is none',
    raw: [{ name: 'a', apiKey: 'k', publicKeyPem: 'x' }],
    says: 'publicKeyPem of account "a"',
  },
  {
    name: 'a negative balance',
    raw: [{ ...good, balances: { USDT: '-1' } }],
    says: 'at 0.balances.USDT: "-1" is not a decimal',
  },
  { name: 'a trade group', raw: [{ ...good, tradeGroupId: 1 }], says: 'at 0: Unrecognized key: "tradeGroupId"' },
  { name: 'a key used twice', raw: [good, { ...good, name: 'b' }], says: 'same apiKey' },
]) {
  test(`${name} is refused with a sentence`, () => {
    assert.throws(
      () => parseAccounts(raw, 'The accounts file x.json'),
      (error) =>
        error instanceof BadInputError &&
        error.message.startsWith('The accounts file x.json is broken') &&
        error.message.includes(says),
    );
  });
}

test('absent settings have the usual values', () => {
  const [account] = parseAccounts([good]);
  assert.deepEqual(
    [account?.makerBps, account?.takerBps, account?.canWithdraw, account?.permissions],
    [10, 10, false, ['SPOT', 'READ']],
  );
});
