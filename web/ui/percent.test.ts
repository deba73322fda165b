import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import { percentOf, type Scale, storedOf } from './percent.ts';

const SCALES: readonly Scale[] = ['below', 'above', 'around', 'share', 'bps'];
/** A decimal text in its shortest form, with at most `places` decimals. */
const decimals = (places: number) =>
  fc
    .tuple(
      fc.boolean(),
      fc.bigInt({ min: 0n, max: 10n ** 12n }),
      fc.integer({ min: 0, max: places }),
      fc.bigInt({ min: 0n }),
    )
    .map(([negative, whole, length, digits]) => {
      const fraction = length === 0 ? '' : `.${digits.toString().padStart(length, '0').slice(0, length)}`;
      return formatDecimal(requireDecimal(`${negative ? '-' : ''}${whole}${fraction}`));
    });

test('a stored value comes back from its percent to the last digit', () => {
  fc.assert(
    fc.property(fc.constantFrom(...SCALES), decimals(16), (scale, stored) => {
      const percent = percentOf(scale, stored);
      assert.equal(percent === undefined ? undefined : storedOf(scale, percent), stored);
    }),
  );
});

test('a typed percent comes back from its stored value to the last digit', () => {
  fc.assert(
    fc.property(fc.constantFrom(...SCALES), decimals(16), (scale, percent) => {
      const stored = storedOf(scale, percent);
      assert.equal(stored === undefined ? undefined : percentOf(scale, stored), percent);
    }),
  );
});

test('a percent that the stored value cannot hold exactly is no value', () => {
  assert.equal(storedOf('above', '0.00000000000000001'), undefined);
  assert.equal(percentOf('bps', '0.00000000000000001'), undefined);
});

test('every scale counts from its own base', () => {
  const stored = { below: '0.97', above: '1.03', around: '1.03', share: '0.03', bps: '300' };
  for (const scale of SCALES) assert.equal(storedOf(scale, '3'), stored[scale], scale);
  assert.equal(storedOf('around', '-3'), '0.97');
  assert.equal(percentOf('around', '0.97'), '-3');
});

test('a percent may be typed with a comma, a sign and a typographic minus', () => {
  assert.equal(storedOf('above', '0,2'), '1.002');
  assert.equal(storedOf('around', '+0.5'), '1.005');
  assert.equal(storedOf('around', '\u22120.5'), '0.995');
  assert.equal(storedOf('above', 'much'), undefined);
});
