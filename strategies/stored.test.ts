import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { choice, count, decimalNumber, flag, group } from './fields.ts';
import { readStored } from './stored.ts';

const row = group(
  { title: 'Row', help: '' },
  {
    coin: z.string().meta({ title: 'Coin', form: { kind: 'text' } }),
    share: decimalNumber({ title: 'Share', help: '', bounds: { above: '0', atMost: '1' }, unit: '' }, '0.5'),
  },
);
const schema = group(
  { title: 'Config', help: '' },
  {
    enabled: flag({ title: 'On', help: '' }, true),
    kind: choice({ title: 'Kind', help: '' }, ['sma', 'ema'], 'ema'),
    average: group(
      { title: 'Average', help: '' },
      { period: count({ title: 'Period', help: '', from: 2, to: 10, unit: '' }, 5) },
    ).prefault({}),
    rows: z.array(row).max(2).default([]),
  },
);
const DEFAULTS = schema.parse({});
const read = (stored: unknown) => readStored(schema, stored);

test('an absent config is the defaults', () => {
  for (const absent of [undefined, null, {}]) assert.deepEqual(read(absent), { config: DEFAULTS, readable: true });
});

test('a value beyond a bound is kept', () => {
  const stored = { average: { period: 500 }, rows: [{ coin: 'A', share: '7' }] };
  assert.deepEqual(read(stored).config, { ...DEFAULTS, ...stored });
});

test('a list longer than its maximum is kept', () => {
  const rows = Array.from({ length: 5 }, () => ({ coin: 'A', share: '0.1' }));
  assert.deepEqual(read({ rows }), { config: { ...DEFAULTS, rows }, readable: true });
});

test('absent settings of a list entry get their defaults, and a text without one is empty', () => {
  assert.deepEqual(read({ rows: [{}] }).config.rows, [{ coin: '', share: '0.5' }]);
});

test('an unknown setting is left out', () => {
  assert.deepEqual(read({ average: { surprise: 1 } }), { config: DEFAULTS, readable: true });
});

test('a setting that reaches a prototype is left out', () => {
  assert.deepEqual(read(JSON.parse('{"__proto__": {"enabled": false}}')), { config: DEFAULTS, readable: true });
});

const wrong: readonly [unknown, string][] = [
  ['text', 'config'],
  [[], 'config'],
  [{ enabled: 1 }, 'enabled'],
  [{ kind: 'wma' }, 'kind'],
  [{ average: 5 }, 'average'],
  [{ average: { period: '5' } }, 'average.period'],
  [{ average: { period: 5.5 } }, 'average.period'],
  [{ rows: {} }, 'rows'],
  [{ rows: [5] }, 'rows.0'],
  [{ rows: [{ coin: 5 }] }, 'rows.0.coin'],
  [{ rows: [{ share: 0.5 }] }, 'rows.0.share'],
  [{ rows: [{ share: '-0.5' }] }, 'rows.0.share'],
  [{ enabled: 1, kind: 'wma' }, 'enabled'],
];
for (const [stored, path] of wrong)
  test(`a wrong type is named: ${JSON.stringify(stored)}`, () => {
    assert.deepEqual([read(stored).readable, read(stored).unreadablePath], [false, path]);
  });

test('a setting of a wrong type gets its default, the others keep their values', () => {
  assert.deepEqual(read({ enabled: 'no', kind: 'sma' }).config, { ...DEFAULTS, kind: 'sma' });
});

const legal = fc.record({
  enabled: fc.boolean(),
  kind: fc.constantFrom('sma', 'ema'),
  average: fc.record({ period: fc.integer({ min: 2, max: 10 }) }),
  rows: fc.array(fc.record({ coin: fc.string(), share: fc.constantFrom('0.1', '1') }), { maxLength: 2 }),
});

test('every legal config is read as parsing gives it', () => {
  fc.assert(
    fc.property(legal, (stored) => {
      assert.deepEqual(read(stored), { config: schema.parse(stored), readable: true });
    }),
    { seed: 7 },
  );
});
