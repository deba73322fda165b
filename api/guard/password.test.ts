import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashPassword, verifyPassword } from './password.ts';

test('a hash is an argon2id PHC string with the agreed cost and verifies its own password only', async () => {
  const hash = await hashPassword('correct horse battery');
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.equal(await verifyPassword('correct horse battery', hash), true);
  assert.equal(await verifyPassword('correct horse batterz', hash), false);
});

test('two hashes of one password differ by their salt', async () => {
  assert.notEqual(await hashPassword('correct horse battery'), await hashPassword('correct horse battery'));
});

test('the same characters in another Unicode form are the same password', async () => {
  assert.equal(await verifyPassword('pa\u0301ssword-long', await hashPassword('p\u00e1ssword-long')), true);
});

test('no stored hash never matches', async () => {
  assert.equal(await verifyPassword('', undefined), false);
});

test('a hash made by the reference implementation verifies', async () => {
  const reference = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  assert.equal(await verifyPassword('password', reference), true);
});
