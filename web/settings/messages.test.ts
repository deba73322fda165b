import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messagesOf } from './messages.ts';

const sold = (at: string, channel: string, error: string | null = null) => ({
  ...{ at, channel, error },
  event: 'order-filled',
  title: 'AVAX: stop loss at 19.02',
});

test('a message to three channels is one row with the channel that did not accept it', () =>
  assert.deepEqual(
    messagesOf([
      sold('2026-11-25T13:34:02.000Z', 'Webhook', 'HTTP 503'),
      sold('2026-11-25T13:34:00.500Z', 'Telegram'),
      sold('2026-11-25T13:33:59.000Z', 'Chrome on Linux'),
    ]),
    [
      {
        at: '2026-11-25T13:34:02.000Z',
        title: 'AVAX: stop loss at 19.02',
        channels: 3,
        errors: ['Webhook: HTTP 503'],
      },
    ],
  ));

test('the same title again to the same channel is another message', () =>
  assert.equal(
    messagesOf([sold('2026-11-25T13:34:20.000Z', 'Telegram'), sold('2026-11-25T13:34:00.000Z', 'Telegram')]).length,
    2,
  ));

test('the same title ten minutes later is another message', () =>
  assert.equal(
    messagesOf([sold('2026-11-25T13:44:00.000Z', 'Telegram'), sold('2026-11-25T13:34:00.000Z', 'Webhook')]).length,
    2,
  ));
