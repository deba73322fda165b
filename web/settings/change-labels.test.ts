import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionText } from './change-labels.ts';

test('an action is told as what was done, and one that is not known by its own name', () => {
  assert.equal(actionText('backtest.launch'), 'Started a backtest');
  assert.equal(actionText('api-key.save'), 'Saved an API key');
  assert.equal(actionText('session.create'), 'Signed in');
  assert.equal(actionText('kill-switch.some-thing'), 'Kill switch, some thing');
});
