import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axesOf, combinationsOf, valuesOf, variedOf, variedSettingsText } from './sweep-axes.ts';

const schema = {
  properties: {
    stop: { type: 'string', form: { percent: 'below', bounds: { above: '0', below: '1' } } },
    window: { type: 'integer', minimum: 1, maximum: 100 },
    off: { type: 'string', form: { percent: 'below', bounds: { above: '0', below: '1' } } },
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
  assert.ok(stop.values.includes('0.97'));
  assert.deepEqual(stop.values.slice(0, 2), ['0.988', '0.982']);
  assert.deepEqual(window.values, [24, 36, 48, 60, 75, 96]);
});

test('typed values are counted, combined and sent as they are stored', () => {
  const [stop, window] = axesOf(schema, { stop: '0.97', window: 60 });
  assert.ok(stop !== undefined && window !== undefined);
  const counted = ['1, 2, 3', '5..50:5', '0.9..1:0.05', '1..3', 'a, 2', '', '5..1'].map(
    (values) => valuesOf({ field: window.field, values })?.length,
  );
  assert.deepEqual(counted, [3, 10, 3, 3, undefined, undefined, undefined]);
  const varied = [
    { field: window.field, values: '60..100:40' },
    { field: stop.field, values: '1, 2.5, 4' },
  ];
  assert.equal(combinationsOf(varied), 6);
  assert.equal(combinationsOf([...varied, { field: stop.field, values: 'no' }]), undefined);
  assert.equal(variedSettingsText(varied), 'window=60,100; stop=0.99,0.975,0.96');
});

test('the values of a multiplier are typed in percent', () => {
  const [stop] = axesOf(schema, { stop: '0.97' });
  assert.ok(stop !== undefined);
  assert.equal(variedOf(stop).values, '1.2, 1.8, 2.4, 3, 3.75, 4.8, 6, 7.5');
});
