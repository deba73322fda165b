import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStreamState } from './stream-state.ts';

test('a stream that is opened now is not reported as lost', () => {
  assert.equal(openStreamState(() => 0).reported(), undefined);
});

test('a stream that does not connect for ten seconds is reported as lost', () => {
  let ms = 0;
  const stream = openStreamState(() => ms);
  ms = 10_000;
  assert.equal(stream.reported(), false);
});

test('a stream that was connected is reported as lost at once', () => {
  const stream = openStreamState(() => 0);
  stream.note('connected');
  assert.equal(stream.reported(), true);
  stream.note('disconnected');
  assert.equal(stream.reported(), false);
});
