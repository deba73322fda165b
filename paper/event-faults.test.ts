import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventFaultList, openEventFaults } from './event-faults.ts';

const subscriber = {};

test('events are lost, doubled, swapped and broken as asked, each as often as asked', () => {
  const faults = openEventFaults();
  const run = (list: unknown, events: readonly string[]): string[] => {
    faults.add(eventFaultList.parse(list));
    return events.flatMap((event, at) => faults.pass(subscriber, event, `{"${event}":${at}}`));
  };
  assert.deepEqual(run([{ kind: 'drop' }], ['a', 'a']), ['{"a":1}']);
  assert.deepEqual(run([{ kind: 'duplicate', times: 2 }], ['a', 'a', 'a']), [
    ...['{"a":0}', '{"a":0}', '{"a":1}', '{"a":1}', '{"a":2}'],
  ]);
  assert.deepEqual(run([{ kind: 'reorder' }], ['a', 'b', 'c']), ['{"b":1}', '{"a":0}', '{"c":2}']);
  assert.deepEqual(run([{ kind: 'garbage', event: 'b' }], ['a', 'b']), ['{"a":0}', '{"b']);
});

test('connections do not get each other’s late events', () => {
  const faults = openEventFaults();
  const other = {};
  faults.add(eventFaultList.parse([{ kind: 'reorder' }]));
  assert.deepEqual(faults.pass(subscriber, 'a', '1'), []);
  assert.deepEqual(faults.pass(other, 'a', '2'), ['2']);
  assert.deepEqual(faults.pass(subscriber, 'a', '3'), ['3', '1']);
});
