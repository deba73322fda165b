import assert from 'node:assert/strict';
import { test } from 'node:test';
import { age, axisMark, dated, full, moment, place, utc } from './time.ts';

const at = Date.UTC(2026, 10, 20, 14, 12, 7);

test('a moment is as short as it can be read', () => {
  assert.equal(moment(at, 'UTC', at), '14:12:07');
  assert.equal(moment(at - 2 * 86_400_000, 'UTC', at), '18 Nov 14:12');
  assert.equal(moment(Date.UTC(2022, 5, 1, 4, 12), 'UTC', at), '1 Jun 2022 04:12');
});

test('a moment of a period has its day, also today', () => {
  assert.equal(dated(at, 'UTC', at), '20 Nov 14:12');
  assert.equal(dated(Date.UTC(2022, 5, 1, 4, 12), 'UTC', at), '1 Jun 2022 04:12');
});

test('times are shown in the zone of the operator', () => {
  assert.equal(moment(at, 'Asia/Kathmandu', at), '19:57:07');
  assert.equal(full(at, 'America/New_York'), 'Fri 20 Nov, 09:12:07');
  assert.equal(moment(Date.UTC(2026, 10, 20, 3), 'America/New_York', at), '19 Nov 22:00');
  assert.equal(utc(at), '2026-11-20 14:12:07 UTC');
});

test('axis marks name the day at midnight of the zone', () => {
  assert.equal(axisMark(Date.UTC(2026, 10, 20), 'UTC'), '20 Nov');
  assert.equal(axisMark(Date.UTC(2026, 10, 20), 'Europe/Berlin'), '01:00');
});

test('ages and places', () => {
  assert.equal(age(800), '0.8 s');
  assert.equal(age(41_200), '41 s');
  assert.equal(age(720_000), '12 min');
  assert.equal(age(-5), '0.0 s');
  assert.equal(place('America/Argentina/Buenos_Aires'), 'Buenos Aires');
});
