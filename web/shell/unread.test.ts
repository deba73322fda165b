import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messagesOf, unreadOf } from './unread.ts';

const delivery = (title: string, at: string, event = 'order-filled') => ({ event, title, at });

test('a message to several channels counts once', () => {
  const sent = [delivery('Bought BTC', '2026-01-01T00:00:01.000Z'), delivery('Bought BTC', '2026-01-01T00:00:02.000Z')];
  assert.equal(messagesOf(sent, []).length, 1);
});

test('a triggered alert counts once, with or without its message', () => {
  const alert = { id: 'a', triggeredAt: '2026-01-01T00:00:00.000Z' };
  const sent = [delivery('BTCUSDT is above 100', '2026-01-01T00:00:01.000Z', 'price-alert')];
  assert.deepEqual([messagesOf([], [alert]).length, messagesOf(sent, [alert]).length], [1, 1]);
});

test('an armed alert is no message, and one that triggers again is a new one', () => {
  const first = messagesOf([], [{ id: 'a', triggeredAt: '2026-01-01T00:00:00.000Z' }]);
  assert.deepEqual(messagesOf([], [{ id: 'a', triggeredAt: null }]), []);
  assert.equal(unreadOf(messagesOf([], [{ id: 'a', triggeredAt: '2026-01-02T00:00:00.000Z' }]), first), 1);
});

test('messages that were seen are read', () => {
  const old = messagesOf([delivery('Bought BTC', '2026-01-01T00:00:01.000Z')], []);
  const both = messagesOf(
    [delivery('Sold BTC', '2026-01-01T01:00:01.000Z'), delivery('Bought BTC', '2026-01-01T00:00:01.000Z')],
    [],
  );
  assert.deepEqual([unreadOf(old, old), unreadOf(both, old)], [0, 1]);
});
