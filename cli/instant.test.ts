import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readInstant } from './instant.ts';

test('a day is its midnight in UTC, an instant needs its zone', () => {
  assert.equal(readInstant('2022-06-01')?.toISOString(), '2022-06-01T00:00:00.000Z');
  assert.equal(readInstant('2022-06-01T12:00Z')?.toISOString(), '2022-06-01T12:00:00.000Z');
  assert.equal(readInstant('2022-06-01T12:00:00+02:00')?.toISOString(), '2022-06-01T10:00:00.000Z');
  for (const text of ['', 'yesterday', '2022-13-01', '2022-06-01T12:00', '1654041600000']) {
    assert.equal(readInstant(text), undefined, text);
  }
});
