import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Halt, haltLockText, haltsFor } from './halts.ts';
import { type AccountId, newId, type ProfileId } from '#core/ids.ts';

const [account, profile] = [newId<AccountId>(), newId<ProfileId>()];
const halt = (scope: Halt['scope'], subject: string): Halt => ({
  scope,
  subject,
  since: new Date(0),
  reason: '',
  freeze: false,
});

test('an order is bound by the halts of everything, its account and its profile, widest first', () => {
  const own = [halt('profile', profile), halt('account', account), halt('all', 'all')];
  const others = [
    halt('account', newId()),
    halt('profile', newId()),
    halt('profile', account),
    halt('account', profile),
  ];
  const bound = haltsFor([...others, ...own], account, profile);
  assert.deepEqual(
    bound.map(({ scope }) => scope),
    ['all', 'account', 'profile'],
  );
});

test('no halt, no binding', () => assert.deepEqual(haltsFor([], account, profile), []));

test('every subject has a lock of its own', () => {
  const keys = [
    haltLockText('all', 'all'),
    haltLockText('account', account),
    haltLockText('profile', profile),
    haltLockText('account', profile),
  ];
  assert.equal(new Set(keys).size, keys.length);
});
