import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { requireDecimal } from '#core/amount/decimal.ts';
import type { SymbolRules } from './symbol.ts';
import { encodeRules, readRules, readSymbolInfos } from './symbol-codec.ts';

const decimal = fc.integer({ min: 0, max: 1_000_000_000 }).map((units) => requireDecimal((units / 1e8).toFixed(8)));
const plain = { noNullPrototype: true };
const range = fc.record({ step: decimal, min: decimal, max: decimal }, plain);
const rules: fc.Arbitrary<SymbolRules> = fc.record(
  {
    symbol: fc.stringMatching(/^[A-Z0-9]{2,20}$/),
    status: fc.constantFrom('TRADING', 'HALT', 'BREAK', 'CANCEL_ONLY', 'absent'),
    baseAsset: fc.string(),
    quoteAsset: fc.string(),
    orderTypes: fc.array(fc.string()),
    price: fc.record({ tick: decimal, min: decimal, max: decimal }, plain),
    lot: range,
    marketLot: range,
    notional: fc.record({ min: decimal, max: decimal, minAppliesToMarket: fc.boolean() }, plain),
    band: fc.option(fc.record({ bidUp: decimal, bidDown: decimal, askUp: decimal, askDown: decimal }, plain)),
  },
  plain,
);

test('trading rules survive the cache store exactly', () => {
  fc.assert(
    fc.property(fc.array(rules, { maxLength: 5 }), (list) => {
      assert.deepEqual(readRules(encodeRules(list)), list);
    }),
  );
});

for (const text of ['', 'no json', '{}', 'null', '[{"symbol":"BTCUSDT"}]', '[{']) {
  test(`${JSON.stringify(text)} is no list of trading rules`, () => assert.equal(readRules(text), undefined));
}

test('one coin is found among others, and a garbled one is told from an absent one', () => {
  const [range, price] = [
    { step: '1', min: '1', max: '0' },
    { tick: '1', min: '0', max: '0' },
  ];
  const good = {
    symbol: 'GOOD',
    status: 'TRADING',
    baseAsset: 'A',
    quoteAsset: 'B',
    orderTypes: [],
    price,
    band: null,
  };
  const notional = { min: '5', max: '0', minAppliesToMarket: true };
  const rest = { lot: range, marketLot: range, notional };
  const stepless = { ...good, ...rest, symbol: 'STEPLESS', lot: { ...range, step: '0' } };
  const infoOf = readSymbolInfos(JSON.stringify([{ symbol: 'GARBLED' }, { ...good, ...rest }, stepless]));
  const found = infoOf('GOOD');
  assert.equal(typeof found === 'string' ? found : found.baseAsset, 'A');
  assert.deepEqual(['GARBLED', 'STEPLESS', 'NONE'].map(infoOf), ['malformed', 'malformed', 'absent']);
  assert.deepEqual([readSymbolInfos(undefined)('GOOD'), readSymbolInfos('no json')('GOOD')], ['absent', 'malformed']);
});
