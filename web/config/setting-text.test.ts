import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SchemaField, schemaGroups } from './schema-fields.ts';
import { rangeProblem, settingText, sliderRange, typedText, valueOf } from './setting-text.ts';

/** The field that a form draws for a schema. */
function fieldOf(schema: Readonly<Record<string, unknown>>): SchemaField {
  const [field] = schemaGroups({ properties: { value: schema } }, {}).flatMap(({ fields }) => fields);
  assert.ok(field !== undefined);
  return field;
}
const below = fieldOf({ type: 'string', form: { percent: 'below', bounds: { above: '0', below: '1' } } });
const around = fieldOf({ type: 'string', form: { percent: 'around', bounds: { above: '0', atMost: '2' } } });

test('a value is shown with its unit', () => {
  assert.equal(settingText(below, '0.97'), '3\u202f%');
  assert.equal(settingText(around, '1.005'), '+0.5\u202f%');
  assert.equal(settingText(around, '0.98'), '\u22122\u202f%');
  assert.equal(settingText(below, ''), 'off');
  assert.equal(settingText(fieldOf({ type: 'string', form: { unit: 'quote' } }), '150', 'USDT'), '150 USDT');
  assert.equal(settingText(fieldOf({ type: 'integer', form: { unit: 'minutes' } }), 60), '60 minutes');
  assert.equal(settingText(fieldOf({ type: 'boolean' }), true), 'on');
});

test('a choice is shown in the words of its schema', () => {
  const field = fieldOf({ enum: ['grid', 'by-chance'], form: { options: { grid: 'Every combination' } } });
  assert.equal(settingText(field, 'grid'), 'Every combination');
  assert.equal(settingText(field, 'by-chance'), 'by chance');
});

test('a typed percent is stored as the multiplier, and shown as typed', () => {
  assert.equal(valueOf(below, '3.5'), '0.965');
  assert.equal(typedText(below, '0.965'), '3.5');
});

test('a typed text that is no percent is never stored as a multiplier', () => {
  assert.equal(valueOf(below, '0.00000000000000001'), '0.00000000000000001 %');
  assert.equal(valueOf(below, 'much'), 'much %');
});

test('an empty field is null where the schema has null', () => {
  assert.equal(valueOf(fieldOf({ anyOf: [{ type: 'integer' }, { type: 'null' }] }), ' '), null);
  assert.equal(valueOf(below, ''), '');
});

test('a list is typed with commas', () => {
  const list = fieldOf({ type: 'array', items: { type: 'string' } });
  assert.deepEqual(valueOf(list, 'BTCUSDT, ETHUSDT,'), ['BTCUSDT', 'ETHUSDT']);
  assert.equal(typedText(list, ['BTCUSDT', 'ETHUSDT']), 'BTCUSDT, ETHUSDT');
});

test('a percent outside its limits is refused in percent', () => {
  assert.equal(rangeProblem(below, '0.97'), undefined);
  assert.equal(rangeProblem(below, '1.03'), 'must be above 0\u202f% and below 100\u202f%');
  assert.equal(rangeProblem(around, '2.5'), 'must be above \u2212100\u202f% and at most 100\u202f%');
  assert.equal(rangeProblem(below, 'much %'), 'is not a number, or has too many decimals');
});

test('a number outside its limits is refused in its unit', () => {
  const days = fieldOf({ type: 'integer', minimum: 1, maximum: 3650, form: { unit: 'days' } });
  assert.equal(rangeProblem(days, 0), 'must be at least 1 and at most 3,650 days');
  assert.equal(rangeProblem(days, 1.5), undefined, 'the service knows better');
});

test('a slider covers a window around no distance, inside the limits, and always its value', () => {
  assert.deepEqual(sliderRange(below, 3), [0, 10]);
  assert.deepEqual(sliderRange(below, 50), [0, 50]);
  assert.deepEqual(sliderRange(around, Number.NaN), [-10, 10]);
});
