import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readDecimal, requireDecimal, toNumber } from '#core/amount/decimal.ts';
import {
  atLeastCents,
  change,
  decimalsOf,
  fixed,
  MISSING,
  money,
  percent,
  price,
  quantity,
  signed,
  signedPercent,
  twoDecimals,
  whole,
} from './numbers.ts';

test('money has two decimals, comma groups and a real minus', () => {
  assert.equal(money('10871.415'), '10,871.42');
  assert.equal(money('-4.184'), '−4.18');
  assert.equal(money('-0.004'), '0.00');
  assert.equal(money(null), '–');
  assert.equal(money('1234567'), '1,234,567.00');
});

test('a count and a plain number have a real minus too', () => {
  assert.equal(whole(-519), '\u2212519');
  assert.equal(twoDecimals(-155.19), '\u2212155.19');
});

test('prices follow the tick size, quantities the step size', () => {
  assert.equal(price('61734', '0.01000000'), '61,734.00');
  assert.equal(price('0.39871', '0.0001'), '0.3987');
  assert.equal(quantity('0.0421', '0.00001000'), '0.04210');
  assert.equal(quantity('88', '1.00000000'), '88');
  assert.equal(quantity('0.00491508', '0.00001'), '0.00491', 'no more than can be sold');
  assert.equal(quantity(null, '0.00001'), MISSING);
  assert.equal(atLeastCents('29455.1'), '29455.10');
  assert.equal(atLeastCents('7'), '7.00');
  assert.equal(atLeastCents('0.0123'), '0.0123');
  assert.equal(decimalsOf('10', 2), 0);
  assert.equal(decimalsOf('0', 2), 2);
});

test('signs show on what is not zero after rounding', () => {
  assert.equal(signed(requireDecimal('57.119'), 2), '+57.12');
  assert.equal(signed(requireDecimal('0.001'), 2), '0.00');
  assert.equal(signed(requireDecimal('-124.96'), 2), '−124.96');
});

test('percent keeps a narrow space and never says minus zero', () => {
  assert.equal(percent(0.0841), '8.4\u202f%');
  assert.equal(percent(-0.0001), '0.0\u202f%');
  assert.equal(signedPercent(-0.0591), '−5.91\u202f%');
  assert.equal(signedPercent(0.0269), '+2.69\u202f%');
  assert.equal(change(requireDecimal('0'), requireDecimal('1')), null);
});

test('a shown number is within half a unit of the last place of the true one', () => {
  fc.assert(
    fc.property(fc.bigInt(-(10n ** 24n), 10n ** 24n), fc.integer({ min: 0, max: 8 }), (units, places) => {
      const value = requireDecimal(
        `${units}.0`.replace(
          /^(-?)(\d+)\.0$/,
          (_all, sign: string, digits: string) =>
            `${sign}${digits.padStart(9, '0').slice(0, -8)}.${digits.padStart(9, '0').slice(-8)}`,
        ),
      );
      const shown = readDecimal(fixed(value, places).replaceAll(',', '').replace('−', '-'));
      assert.ok(shown !== undefined);
      const off = shown > value ? shown - value : value - shown;
      assert.ok(off <= 10n ** BigInt(18 - places) / 2n, `${toNumber(value)} shown as ${fixed(value, places)}`);
    }),
  );
});
