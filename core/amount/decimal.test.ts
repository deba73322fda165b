import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Decimal as Reference } from 'decimal.js';
import fc from 'fast-check';
import {
  absolute,
  add,
  ceilToStep,
  type Decimal,
  divide,
  divideUnits,
  floorToStep,
  formatDecimal,
  formatFixed,
  fromNumber,
  fromSteps,
  isOnStep,
  maximum,
  minimum,
  multiply,
  multiplyUnits,
  negate,
  ONE,
  readDecimal,
  requireDecimal,
  subtract,
  toNumber,
  toSteps,
  ZERO,
} from './decimal.ts';

const Exact = Reference.clone({ precision: 200, rounding: Reference.ROUND_DOWN, toExpNeg: -200, toExpPos: 200 });

/** Decimal text with up to 18 decimals, as an exchange or an operator may write it. */
const amounts = fc
  .tuple(fc.boolean(), fc.bigInt(0n, 10n ** 15n), fc.bigInt(0n, 10n ** 18n - 1n), fc.integer({ min: 0, max: 18 }))
  .map(([negative, whole, fraction, places]) => {
    const decimals = fraction.toString().padStart(18, '0').slice(0, places);
    return `${negative ? '-' : ''}${whole}${decimals === '' ? '' : `.${decimals}`}`;
  });
const positive = amounts.map((text) => text.replace('-', '')).filter((text) => /[1-9]/.test(text));

const same = (value: Decimal, reference: Reference): void =>
  assert.equal(formatDecimal(value), reference.toDecimalPlaces(18).toFixed().replace(/^-0$/, '0'));

test('text survives the round trip, zeros aside', () => {
  fc.assert(fc.property(amounts, (text) => same(requireDecimal(text), new Exact(text))));
});

test('sums, products and quotients agree with an independent library, truncated at 18 decimals', () => {
  fc.assert(
    fc.property(amounts, amounts, (a, b) => {
      const [x, y] = [requireDecimal(a), requireDecimal(b)];
      const [p, q] = [new Exact(a), new Exact(b)];
      same(add(x, y), p.plus(q));
      same(subtract(x, y), p.minus(q));
      same(multiply(x, y), p.times(q));
      if (y !== 0n) same(divide(x, y), p.dividedBy(q));
      same(minimum(x, y), Exact.min(p, q));
      same(maximum(x, y), Exact.max(p, q));
      same(absolute(x), p.abs());
      same(negate(x), p.negated());
    }),
  );
});

test('rounding onto a grid stays on it, and within one step of the value', () => {
  fc.assert(
    fc.property(positive, positive, (a, b) => {
      const [value, step] = [requireDecimal(a), requireDecimal(b)];
      const [down, up] = [floorToStep(value, step), ceilToStep(value, step)];
      assert.ok(isOnStep(down, step) && isOnStep(up, step));
      assert.ok(down <= value && value <= up);
      assert.ok(subtract(up, down) === (isOnStep(value, step) ? ZERO : step));
    }),
  );
});

test('a step of zero leaves values alone', () => {
  const value = requireDecimal('1.2345');
  assert.deepEqual([floorToStep(value, ZERO), ceilToStep(value, ZERO), isOnStep(value, ZERO)], [value, value, true]);
});

test('a whole count of steps is the same decimal again', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2_000_000_000 }), positive, (count, stepText) => {
      const step = requireDecimal(stepText);
      assert.equal(toSteps(fromSteps(count, step), step), count);
    }),
  );
});

test('fixed places truncate towards zero', () => {
  fc.assert(
    fc.property(amounts, fc.integer({ min: 0, max: 18 }), (text, places) => {
      const expected = new Exact(text).toDecimalPlaces(places).toFixed(places);
      assert.equal(
        formatFixed(requireDecimal(text), places),
        /[1-9]/.test(expected) ? expected : expected.replace('-', ''),
      );
    }),
  );
});

for (const text of [
  '',
  ' ',
  '.',
  '.5',
  '1e3',
  '+1',
  '1,5',
  '0x10',
  'NaN',
  '--1',
  '1.2.3',
  '1\n',
  '0.0000000000000000001',
]) {
  test(`refused: ${JSON.stringify(text)}`, () => {
    assert.equal(readDecimal(text), undefined);
    assert.throws(() => requireDecimal(text), { name: 'RangeError', message: /is not a decimal number/ });
  });
}

test('zeros beyond the 18th decimal are no loss', () => {
  assert.equal(formatDecimal(requireDecimal(`1.5${'0'.repeat(30)}`)), '1.5');
  assert.equal(formatDecimal(requireDecimal('-0.000')), '0');
});

test('an amount of 64 characters is read, a longer text never', () => {
  const longest = `${'9'.repeat(45)}.${'9'.repeat(18)}`;
  assert.equal(formatDecimal(requireDecimal(longest)), longest);
  assert.equal(readDecimal(`0${longest}`), undefined);
  assert.equal(readDecimal(`0.${'0'.repeat(1_000_000)}1`), undefined);
  assert.throws(
    () => requireDecimal('9'.repeat(1_000_000)),
    ({ message }: Error) => message.length < 200,
  );
});

test('as a float and as text an amount is what its digits say, also beside whole 1e-8 and beside 2^50 of them', () => {
  const booked = fc.oneof(
    fc.bigInt(-(2n ** 51n), 2n ** 51n),
    fc.bigInt(-3n, 3n).chain((near) => fc.constantFrom(2n ** 50n + near, -(2n ** 50n) + near, 2n ** 64n + near, near)),
  );
  const rests = fc.constantFrom(0n, 0n, 1n, -1n, 5n * 10n ** 9n, 10n ** 10n - 1n);
  fc.assert(
    fc.property(booked, rests, (units, rest) => {
      const value = units * 10n ** 10n + rest;
      const text = `${value < 0n ? '-' : ''}${String(value < 0n ? -value : value).padStart(19, '0')}`;
      const reference = new Exact(`${text.slice(0, -18)}.${text.slice(-18)}`);
      const decimal = requireDecimal(reference.toFixed());
      assert.equal(decimal, value);
      same(decimal, reference);
      assert.equal(toNumber(decimal), Number(reference.toFixed()) + 0);
    }),
    { numRuns: 1000 },
  );
});

/** The two decimals around the middle of a float and the next one; their distance is one unit or none. */
function aroundMiddle(float: number): bigint[] {
  const bits = new BigInt64Array(new Float64Array([float]).buffer)[0] ?? 0n;
  const power = Number(bits >> 52n) - 1076;
  const middle = (2n * ((bits & (2n ** 52n - 1n)) | (2n ** 52n)) + 1n) * 10n ** 18n;
  const units = power >= 0 ? middle << BigInt(power) : middle >> BigInt(-power);
  return [units, units + 1n];
}

test('the float of an amount is the nearest one, also close to the middle of two and where amounts become too large', () => {
  const scales = fc.integer({ min: -17, max: 14 }).map((power) => 10 ** power);
  const floats = fc
    .tuple(fc.double({ min: 0.1, max: 1, noNaN: true }), scales)
    .chain(([share, scale]) => fc.constantFrom(...aroundMiddle(share * scale)));
  const any = fc.integer({ min: 1, max: 120 }).chain((bits) => fc.bigInt(2n ** BigInt(bits - 1), 2n ** BigInt(bits)));
  fc.assert(
    fc.property(fc.oneof(floats, any), fc.boolean(), (size, negative) => {
      const value = negative ? -size : size;
      const digits = String(size).padStart(19, '0');
      const text = `${negative ? '-' : ''}${digits.slice(0, -18)}.${digits.slice(-18)}`;
      assert.equal(toNumber(requireDecimal(text)), Number(`${value}e-18`));
    }),
    { numRuns: 5000 },
  );
});

test('products and quotients with whole 1e-8 are those with their decimals', () => {
  const units = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
  fc.assert(
    fc.property(amounts, units, (text, count) => {
      const [amount, other] = [requireDecimal(text), fromSteps(count, requireDecimal('0.00000001'))];
      assert.equal(multiplyUnits(amount, count), multiply(amount, other));
      assert.equal(divideUnits(amount, count), divide(amount, other));
    }),
  );
});

test('floats for signals go through 12 decimals', () => {
  assert.equal(formatDecimal(fromNumber(0.1 + 0.2)), '0.3');
  assert.equal(toNumber(ONE), 1);
  assert.throws(() => fromNumber(Number.NaN), RangeError);
});
