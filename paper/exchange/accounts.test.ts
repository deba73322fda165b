import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAccounts } from './accounts.ts';
import { BadInputError } from '#paper/bad-input.ts';

const good = { name: 'a', apiKey: 'k', secret: 's' };

for (const { name, raw, expected } of [
  { name: 'no list', raw: {}, expected: 'is broken: ' },
  { name: 'an empty list', raw: [], expected: 'at least one account' },
  { name: 'no key at all', raw: [{ name: 'a', apiKey: 'k' }], expected: 'needs either secret or publicKeyPem' },
  { name: 'both kinds of key', raw: [{ ...good, publicKeyPem: 'x' }], expected: 'needs either secret or publicKeyPem' },
  {
    name: 'an invalid PEM',
    raw: [{ name: 'a', apiKey: 'k', publicKeyPem: 'x' }],
    expected: 'publicKeyPem of account "a"',
  },
  {
    name: 'a negative balance',
    raw: [{ ...good, balances: { USDT: '-1' } }],
    expected: 'at 0.balances.USDT: "-1" is not a decimal',
  },
  { name: 'a trade group', raw: [{ ...good, tradeGroupId: 1 }], expected: 'at 0: Unrecognized key: "tradeGroupId"' },
  { name: 'a key used twice', raw: [good, { ...good, name: 'b' }], expected: 'same apiKey' },
]) {
  test(`${name} is refused with a message`, () => {
    assert.throws(
      () => parseAccounts(raw, 'The accounts file x.json'),
      (error) =>
        error instanceof BadInputError &&
        error.message.startsWith('The accounts file x.json is broken') &&
        error.message.includes(expected),
    );
  });
}

test('absent settings have default values', () => {
  const [account] = parseAccounts([good]);
  assert.deepEqual(
    [account?.makerBps, account?.takerBps, account?.canWithdraw, account?.permissions],
    [10, 10, false, ['SPOT', 'READ']],
  );
});
