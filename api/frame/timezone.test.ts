import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTimezone } from './timezone.ts';

test('zone names in their IANA spelling are accepted, links included', () => {
  const good = [
    'UTC',
    'Etc/UTC',
    'GMT',
    'Europe/Berlin',
    'Asia/Kolkata',
    'Asia/Calcutta',
    'US/Pacific',
    'EST5EDT',
    'Etc/GMT+5',
    'GB-Eire',
  ];
  assert.deepEqual(
    good.filter((name) => !isTimezone(name)),
    [],
  );
});

test('every zone the runtime lists is accepted', () => {
  assert.deepEqual(
    Intl.supportedValuesOf('timeZone').filter((name) => !isTimezone(name)),
    [],
  );
});

test('offsets, other spellings, unknown and empty names are refused', () => {
  const bad = [
    '',
    ' ',
    '+01:00',
    '-0500',
    'utc',
    'Utc',
    'europe/berlin',
    'asia/kolkata',
    'Asia/kolkata',
    'us/pacific',
    'Mars/Olympus',
    'Europe/Berlin ',
    'Factory',
    '1',
  ];
  assert.deepEqual(bad.filter(isTimezone), []);
});
