import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notifierRules, quietUntil } from './notify.ts';

const until = (at: string, from: string, to: string, timezone = 'UTC'): string =>
  quietUntil(new Date(at), { quietHours: { from, to } }, timezone).toISOString().slice(5, 16);

test('messages of the quiet hours wait until they are over, in the time zone of the operator', () => {
  assert.equal(until('2026-01-01T23:00:00Z', '22:00', '07:30'), '01-02T07:30');
  assert.equal(until('2026-01-02T07:29:00Z', '22:00', '07:30'), '01-02T07:30');
  assert.equal(until('2026-01-02T07:30:00Z', '22:00', '07:30'), '01-02T07:30');
  assert.equal(until('2026-01-02T12:00:00Z', '22:00', '07:30'), '01-02T12:00');
  assert.equal(until('2026-01-02T12:00:00Z', '11:00', '13:00'), '01-02T13:00');
  assert.equal(until('2026-01-01T22:30:00Z', '22:00', '07:00', 'Asia/Tokyo'), '01-01T22:30');
  assert.equal(until('2026-01-01T20:00:00Z', '22:00', '07:00', 'Asia/Tokyo'), '01-01T22:00');
  assert.equal(until('2026-01-01T12:00:00Z', '08:00', '08:00'), '01-01T12:00', 'no hours at all');
});

test('rules: unknown events and times are named, the usual events are on', () => {
  const wrong = notifierRules.safeParse({ events: ['nothing'], quietHours: { from: '24:00', to: '7:00' } });
  assert.deepEqual(
    wrong.error?.issues.map(({ path }) => path.join('.')),
    ['events.0', 'quietHours.from', 'quietHours.to'],
  );
  const { events } = notifierRules.parse({});
  assert.ok(events.includes('stop-missing') && !events.includes('order-filled'));
});
