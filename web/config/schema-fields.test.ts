import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS_FORM } from '#api/contract/forms.ts';
import { schemaGroups } from './schema-fields.ts';
import { wordsOf } from '#web/ui/names.ts';

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
    ['General', 'Buy', 'Buy, entry sizing', 'Grid levels 1', 'Grid levels 2', 'Grid levels'],
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

test('hints say what is advanced, what a list begins with and how far a value may go', () => {
  const form = { kind: 'multiplier', of: 'the cost', bounds: { above: '0', below: '1' } };
  const item = { title: 'Level', properties: { at: { type: 'string', default: '1' } } };
  const hinted = {
    properties: {
      stop: { type: 'string', form },
      gate: { form: { advanced: true }, properties: { rsi: { type: 'string' } } },
      levels: { type: 'array', maxItems: 3, items: item },
    },
  };
  const groups = schemaGroups(hinted, { levels: [{ at: '1' }] });
  const fields = groups.flatMap((group) => group.fields);
  assert.deepEqual(
    fields.map(({ path, advanced }) => [path, advanced]),
    [
      ['stop', false],
      ['gate.rsi', true],
      ['levels.0.at', false],
    ],
  );
  assert.deepEqual(fields[0]?.bounds, [0, 1]);
  assert.deepEqual(groups.at(-1)?.list, { path: 'levels', fresh: { at: '1' }, length: 1, most: 3 });
});

test('the limits have no field for their asset', () => {
  const paths = schemaGroups(LIMITS_FORM, {}).flatMap(({ fields }) => fields.map(({ path }) => path));
  assert.ok(paths.includes('dailyLoss'));
  assert.equal(paths.includes('asset'), false);
});

test('names become words', () => {
  assert.equal(wordsOf('trailingStopPercentage'), 'Trailing stop percentage');
});
