import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axesOf, combinationsOf, variedSettingsText, valueCount, variant } from './sweep-axes.ts';

const schema = {
  properties: {
    stop: { type: 'string', form: { kind: 'multiplier', of: 'the cost', bounds: { above: '0', below: '1' } } },
    window: { type: 'integer', minimum: 1, maximum: 100 },
    off: { type: 'string', form: { kind: 'multiplier', of: 'the cost', bounds: { above: '0', below: '1' } } },
    mode: { enum: ['a', 'b'] },
  },
};

test('settings are varied around what is saved, a multiplier by its distance, inside their bounds', () => {
  const config = { stop: '0.97', window: 60, off: '', mode: 'a' };
  const axes = axesOf(schema, config);
  assert.deepEqual(
    axes.map(({ path }) => path),
    ['stop', 'window'],
  );
  const [stop, window] = axes;
  assert.ok(stop !== undefined && window !== undefined);
  assert.equal(stop.values[stop.saved], '0.97');
  assert.deepEqual(stop.values.slice(0, 2), ['0.988', '0.982']);
  assert.deepEqual(window.values, [24, 36, 48, 60, 75, 96]);
  assert.deepEqual(variant(config, [stop, 0], [window, 5]), { ...config, stop: '0.988', window: 96 });
});

test('typed values are counted, and combined', () => {
  assert.deepEqual(['1, 2, 3', '5..50:5', '0.9..1:0.05', '1..3', 'a, 2', '', '5..1'].map(valueCount), [
    3,
    10,
    3,
    3,
    undefined,
    undefined,
    undefined,
  ]);
  const knobs = [
    { path: 'ema.fast', values: '5..50:5' },
    { path: 'ema.slow', values: '60, 100' },
  ];
  assert.equal(combinationsOf(knobs), 20);
  assert.equal(combinationsOf([...knobs, { path: 'x', values: 'no' }]), undefined);
  assert.equal(variedSettingsText(knobs), 'ema.fast=5..50:5; ema.slow=60,100');
});
