import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EventFaults, eventFaultList, openEventFaults } from './event-faults.ts';

/** A listener with its received frames; `pass` returns the frames that result from one event. */
function listener(faults: EventFaults): { readonly got: string[]; pass(event: string, frame: string): string[] } {
  const got: string[] = [];
  const subscriber = { send: (frame: string) => void got.push(frame) };
  return {
    got,
    pass: (event, frame) => {
      const before = got.length;
      faults.pass(subscriber, event, frame);
      return got.slice(before);
    },
  };
}

test('faults drop, duplicate, reorder and corrupt events, each as often as configured', () => {
  const faults = openEventFaults();
  const first = listener(faults);
  const run = (list: unknown, events: readonly string[]): string[] => {
    faults.add(eventFaultList.parse(list));
    return events.flatMap((event, at) => first.pass(event, `{"${event}":${at}}`));
  };
  assert.deepEqual(run([{ kind: 'drop' }], ['a', 'a']), ['{"a":1}']);
  assert.deepEqual(run([{ kind: 'duplicate', times: 2 }], ['a', 'a', 'a']), [
    ...['{"a":0}', '{"a":0}', '{"a":1}', '{"a":1}', '{"a":2}'],
  ]);
  assert.deepEqual(run([{ kind: 'reorder' }], ['a', 'b', 'c']), ['{"b":1}', '{"a":0}', '{"c":2}']);
  assert.deepEqual(run([{ kind: 'garbage', event: 'b' }], ['a', 'b']), ['{"a":0}', '{"b']);
});

test('a delayed event comes after those that follow it', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const faults = openEventFaults();
  const first = listener(faults);
  faults.add(eventFaultList.parse([{ kind: 'delay', delayMs: 500 }]));
  assert.deepEqual([first.pass('a', '1'), first.pass('a', '2')], [[], ['2']]);
  context.mock.timers.tick(500);
  assert.deepEqual(first.got, ['2', '1']);
});

test('connections do not get each other’s late events', () => {
  const faults = openEventFaults();
  const [first, other] = [listener(faults), listener(faults)];
  faults.add(eventFaultList.parse([{ kind: 'reorder' }]));
  assert.deepEqual(first.pass('a', '1'), []);
  assert.deepEqual(other.pass('a', '2'), ['2']);
  assert.deepEqual(first.pass('a', '3'), ['3', '1']);
});
