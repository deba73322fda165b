import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionWords } from './change-words.ts';

test('an action is told as what was done, and one that is not known by its own name', () => {
  assert.equal(actionWords('backtest.launch'), 'Started a backtest');
  assert.equal(actionWords('api-key.save'), 'Saved an API key');
  assert.equal(actionWords('session.create'), 'Signed in');
  assert.equal(actionWords('kill-switch.some-thing'), 'Kill switch, some thing');
});
