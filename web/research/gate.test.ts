import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valueAt } from '#core/config-path.ts';
import { GATE_BARS, type GateBar, USUAL_BARS } from '#core/research/live-gate.ts';
import { GATE_FORM } from '#api/contract/forms.ts';
import { schemaGroups } from '#web/config/schema-fields.ts';
import { typedText } from '#web/config/setting-text.ts';
import { barLabel, barValue } from './gate.ts';

const readBar = (path: string): GateBar => {
  const bar = GATE_BARS.find((name) => name === path);
  assert.ok(bar !== undefined);
  return bar;
};

test('values are written as what they are', () => {
  assert.equal(barValue('drawdown', 0.084), '8.4\u202f%');
  assert.equal(barValue('alpha', 0.0004), '+0.04\u202f%');
  assert.equal(barValue('returnOnCapital', -0.12), '\u221212.00\u202f%');
  assert.equal(barValue('outOfSample', 0.051), '+5.1\u202f%');
  assert.equal(barValue('ageDays', 1.2), '1 day');
  assert.equal(barValue('profitFactor', null), 'unknown');
});

test('every threshold has its label and is typed in the unit that it is shown in', () => {
  const fields = schemaGroups(GATE_FORM, USUAL_BARS).flatMap((group) => group.fields);
  assert.deepEqual(
    fields.map(({ path }) => path),
    Object.keys(USUAL_BARS),
  );
  assert.deepEqual(
    fields.map((field) => [barLabel(readBar(field.path)), typedText(field, valueAt(USUAL_BARS, field.path))]),
    [
      ['Profit factor', '1.2'],
      ['Trades', '30'],
      ['Return on capital used', '0'],
      ['Alpha (vs. equal exposure)', '0'],
      ['Out of sample (last 30 %)', '0'],
      ['Max drawdown', '25'],
      ['Candle coverage', '95'],
      ['Age of the backtest', '30'],
    ],
  );
});
