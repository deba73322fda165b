import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOptions } from './options.ts';

const KEYS = { PAPER_API_KEY: 'a key', PAPER_API_SECRET: 'a secret' };

test('without an accounts file there is one account with the key pair of the environment', () => {
  const { accounts } = parseOptions([], KEYS);
  assert.deepEqual(
    accounts.map(({ name, apiKey, key }) => ({ name, apiKey, key })),
    [{ name: 'operator', apiKey: 'a key', key: { kind: 'hmac', secret: 'a secret' } }],
  );
});

test('without an accounts file and with half of a key pair it is refused', () => {
  assert.throws(
    () => parseOptions([], { PAPER_API_KEY: 'a key', PAPER_API_SECRET: '' }),
    /--accounts is missing, and so are PAPER_API_KEY and PAPER_API_SECRET/,
  );
});

test('the host is an address', () => {
  assert.equal(parseOptions(['--host', '0.0.0.0'], KEYS).host, '0.0.0.0');
  assert.equal(parseOptions([], KEYS).host, undefined);
  assert.throws(() => parseOptions(['--host', 'paper'], KEYS), /--host is "paper", but must be an IP address/);
});
