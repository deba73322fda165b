import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axesOf, variant } from './sweep.ts';

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
