import assert from 'node:assert/strict';
import { test } from 'node:test';
import { USUAL_BARS } from '#core/research/live-gate.ts';
import { barBody, barTexts, barValue } from './gate.ts';

test('bars go into the form in percent and come back as they were', () => {
  const texts = barTexts(USUAL_BARS);
  assert.deepEqual([texts['drawdown'], texts['profitFactor'], texts['ageDays']], ['25', '1.2', '30']);
  assert.deepEqual(barBody(texts), USUAL_BARS);
});

test('an empty bar is not asked, and what is no number is refused instead of taken for empty', () => {
  assert.equal(barBody({ ...barTexts(USUAL_BARS), alpha: '' }).alpha, null);
  assert.equal(barTexts({ ...USUAL_BARS, alpha: null })['alpha'], '');
  assert.throws(() => barBody({ ...barTexts(USUAL_BARS), drawdown: 'a lot' }), /Max drawdown: "a lot" is no number/);
});

test('values are written as what they are', () => {
  assert.equal(barValue('drawdown', 0.084), '8.4\u202f%');
  assert.equal(barValue('alpha', 0.0004), '+0.04\u202f%');
  assert.equal(barValue('returnOnCapital', -0.12), '\u221212.00\u202f%');
  assert.equal(barValue('outOfSample', 0.051), '+5.1\u202f%');
  assert.equal(barValue('ageDays', 1.2), '1 day');
  assert.equal(barValue('profitFactor', null), 'unknown');
});
