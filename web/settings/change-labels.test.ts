import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeText } from './change-labels.ts';

const PROFILE = '01a21443-00f5-77d3-bf9f-53253caede5c';
const GONE = '01a21443-00f5-77d3-bf9f-53253caede5d';
const names = new Map([[PROFILE, 'Dip ladder']]);
const textOf = (action: string, subject = '', after: unknown = null): string => {
  const { what, of } = changeText({ action, subject, before: null, after }, names);
  return of === '' ? what : `${what}: ${of}`;
};

test('an action is told as what was done, and one that is not known by its own name', () => {
  assert.equal(textOf('backtest.launch'), 'Started a backtest');
  assert.equal(textOf('api-key.save'), 'Saved an API key');
  assert.equal(textOf('session.create'), 'Signed in');
  assert.equal(textOf('proposal.approve'), 'Approved a proposed order');
  assert.equal(textOf('kill-switch.some-thing'), 'Kill switch, some thing');
});

test('a subject is told by its name, never by its id', () => {
  assert.equal(textOf('kill-switch.engage', 'all'), 'Stopped buying');
  assert.equal(textOf('kill-switch.engage', `profile:${PROFILE}`), 'Stopped buying: Dip ladder');
  assert.equal(textOf('coin.pause', `${PROFILE}:BTCUSDT`), 'Paused buying of BTCUSDT: Dip ladder');
  assert.equal(textOf('notifier.save', `${PROFILE}:telegram`), 'Saved a notifier: Dip ladder, telegram');
  assert.equal(textOf('session.create', GONE), 'Signed in');
  assert.equal(textOf('profile.delete', GONE, { name: 'Old one' }), 'Deleted a profile: Old one');
});
