import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemaGroups, valueAt, withValue, wordsOf } from './schema-fields.ts';

const schema = {
  type: 'object',
  properties: {
    candleInterval: { type: 'string', enum: ['1m', '1h'], title: 'Candle length' },
    buy: {
      type: 'object',
      properties: {
        enabled: { type: 'boolean' },
        entrySizing: {
          oneOf: [
            { type: 'object', properties: { mode: { const: 'fixed' }, amount: { type: 'string' } } },
            { type: 'object', properties: { mode: { const: 'percent' }, percentage: { type: 'string' } } },
          ],
        },
        gridLevels: {
          type: 'array',
          items: { type: 'object', properties: { triggerPercentage: { type: 'string', description: 'of the low' } } },
        },
      },
    },
  },
};
const config = { buy: { entrySizing: { mode: 'percent' }, gridLevels: [{ triggerPercentage: '1.002' }, {}] } };

test('a schema becomes groups of labelled fields, lists item by item, alternatives by their constants', () => {
  const groups = schemaGroups(schema, config);
  assert.deepEqual(
    groups.map((group) => group.title),
    ['General', 'Buy', 'Buy, entry sizing', 'Grid levels 1', 'Grid levels 2'],
  );
  assert.deepEqual(
    groups.flatMap((group) => group.fields.map((field) => `${field.path} ${field.kind}`)),
    [
      'candleInterval choice',
      'buy.enabled switch',
      'buy.entrySizing.mode choice',
      'buy.entrySizing.percentage text',
      'buy.gridLevels.0.triggerPercentage text',
      'buy.gridLevels.1.triggerPercentage text',
    ],
  );
  assert.equal(groups[0]?.fields[0]?.label, 'Candle length');
});

test('values are read and written by path without touching the original', () => {
  const path = 'buy.gridLevels.0.triggerPercentage';
  const changed = withValue(config, path, '1.01');
  assert.equal(valueAt(changed, path), '1.01');
  assert.equal(valueAt(config, path), '1.002');
  assert.deepEqual(withValue({}, 'sell.stop', '1'), { sell: { stop: '1' } });
  assert.equal(valueAt(config, 'sell.stop'), undefined);
});

test('names become words', () => {
  assert.equal(wordsOf('trailingStopPercentage'), 'Trailing stop percentage');
});
