import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { idSchema } from '#core/id-schema.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import {
  cancelIdOf,
  clientOrderIdOf,
  fnv1a64,
  isLiveOrder,
  isOwnClientOrderId,
  ORDER_STATES,
  listIdOf,
  originalIdOf,
  readOwnClientOrderId,
  targetIdOf,
} from './order.ts';

const OWNER = newId<ProfileId>();

const owners = fc.record({
  profileId: fc.integer({ min: 0, max: 2 ** 40 }).map((at) => newId<ProfileId>(at)),
  symbol: fc.stringMatching(/^[A-Z0-9]{2,20}$/),
  purpose: fc.constantFrom('entry', 'exit', 'stop', 'target', 'manual'),
  sequence: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
});

test('order ids fit the exchange, repeat for the same intent, and prove their owner', () => {
  fc.assert(
    fc.property(owners, (owner) => {
      const id = clientOrderIdOf(owner);
      const cancel = cancelIdOf(id);
      for (const text of [id, cancel]) {
        assert.match(text, /^[A-Za-z0-9-]{1,36}$/);
        assert.ok(isOwnClientOrderId(text, owner.profileId, owner.symbol));
        assert.equal(originalIdOf(text, 'LIMIT'), id);
      }
      assert.equal(clientOrderIdOf({ ...owner }), id);
      assert.ok(!isOwnClientOrderId(id, newId<ProfileId>(), owner.symbol));
      assert.ok(!isOwnClientOrderId(id, owner.profileId, `${owner.symbol}X`));
    }),
  );
});

test('no two intents of a coin share an id', () => {
  fc.assert(
    fc.property(owners, fc.integer({ min: 0, max: 1_000_000 }), (owner, other) => {
      const second = { ...owner, sequence: other };
      assert.equal(clientOrderIdOf(owner) === clientOrderIdOf(second), owner.sequence === other);
      const purposes = (['entry', 'exit', 'stop', 'target', 'manual'] as const).map((purpose) =>
        clientOrderIdOf({ ...owner, purpose }),
      );
      assert.equal(new Set(purposes).size, 5);
    }),
  );
});

test('a list and its legs share a number, and a cancel of the list still names its leg', () => {
  fc.assert(
    fc.property(owners, (owner) => {
      const stop = clientOrderIdOf({ ...owner, purpose: 'stop' });
      const target = targetIdOf(stop);
      assert.equal(target, clientOrderIdOf({ ...owner, purpose: 'target' }));
      const list = listIdOf(stop);
      assert.equal(list, listIdOf(target));
      assert.ok(!isOwnClientOrderId(list, owner.profileId, owner.symbol));
      assert.equal(originalIdOf(cancelIdOf(list), 'STOP_LOSS_LIMIT'), stop);
      assert.equal(originalIdOf(cancelIdOf(list), 'LIMIT_MAKER'), target);
    }),
  );
});

test('a known id stays what it is: open orders out there carry it', () => {
  const profileId = idSchema<ProfileId>().parse('0192f0c1-2345-7abc-8def-0123456789ab');
  const id = clientOrderIdOf({ profileId, symbol: 'BTCUSDT', purpose: 'entry', sequence: 35 });
  assert.equal(id, 'tw1-12o0yytkt679g-ez');
});

test('ids of other programs are not ours', () => {
  for (const id of ['', 'web_123', 'tw1-', 'x-tw1-0000000000000-e1']) {
    assert.equal(isOwnClientOrderId(id, newId<ProfileId>(), 'BTCUSDT'), false);
    assert.equal(originalIdOf(id, 'LIMIT'), id);
  }
});

test('an order is live until the exchange can no longer hold it', () => {
  const live = ORDER_STATES.filter(isLiveOrder);
  assert.deepEqual(live, ['intent', 'open', 'partially-filled', 'unknown']);
});

test('an own id says purpose and sequence, that of a cancel included; any other id says nothing', () => {
  const id = clientOrderIdOf({ profileId: OWNER, symbol: 'BTCUSDT', purpose: 'stop', sequence: 75 });
  const own = { clientOrderId: id, purpose: 'stop', sequence: 75 };
  assert.deepEqual(readOwnClientOrderId(id, OWNER, 'BTCUSDT'), own);
  assert.deepEqual(readOwnClientOrderId(cancelIdOf(id), OWNER, 'BTCUSDT'), own);
  assert.equal(readOwnClientOrderId(id, OWNER, 'ETHUSDT'), undefined);
  assert.equal(readOwnClientOrderId('web_1234', OWNER, 'BTCUSDT'), undefined);
  assert.equal(readOwnClientOrderId(id.replace('-s', '-s0'), OWNER, 'BTCUSDT'), undefined);
});

test('texts are named by the 64-bit hash FNV-1a', () => {
  const known = { '': 'cbf29ce484222325', a: 'af63dc4c8601ec8c', foobar: '85944171f73967e8' };
  for (const [text, hex] of Object.entries(known)) assert.equal(fnv1a64(text).toString(16), hex);
});
