import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { formatDecimal, readDecimal } from '#core/amount/decimal.ts';
import { OPERATIONS } from '#api/contract/contract.ts';
import { decimalText, instant } from '#api/contract/fields.ts';
import { encoderOf } from './encode.ts';

test('every answer of the contract can be encoded', () => {
  const answers = OPERATIONS.flatMap(({ response }) => (response === undefined ? [] : [response]));
  assert.ok(answers.length > 100);
  for (const answer of answers) assert.equal(typeof encoderOf(answer), 'function');
});

const kept = z.object({
  amount: decimalText,
  none: decimalText.nullable(),
  at: instant,
  until: instant.nullable(),
  absent: decimalText.optional(),
  list: z.array(z.object({ amount: decimalText, text: z.string() })),
  byName: z.record(z.string(), decimalText),
  either: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('amount'), value: decimalText }),
    z.object({ kind: z.enum(['text', 'note']), value: z.string() }),
  ]),
  any: z.unknown(),
});

const amount = fc.tuple(fc.integer(), fc.nat(9)).map(([whole, rest]) => `${whole}.${rest}000`);
const moment = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z') });
const values: fc.Arbitrary<z.output<typeof kept>> = fc.record({
  amount,
  none: fc.option(amount),
  at: moment,
  until: fc.option(moment),
  list: fc.array(fc.record({ amount, text: fc.string() })),
  byName: fc.dictionary(
    fc.string().filter((name) => name !== '__proto__'),
    amount,
  ),
  either: fc.oneof(
    fc.record({ kind: fc.constant('amount' as const), value: amount }),
    fc.record({ kind: fc.constantFrom('text' as const, 'note' as const), value: fc.string() }),
  ),
  any: fc.jsonValue(),
});

test('a value is encoded as zod encodes it', () => {
  const encode = encoderOf(kept);
  fc.assert(
    fc.property(values, (value) => {
      assert.deepEqual(encode(value), z.encode(kept, value));
    }),
  );
});

const signs = fc.constantFrom('', '-', '+');
const wholes = fc.oneof(fc.nat().map(String), fc.constantFrom('0', '007', '123456789012345678901', ''));
const places = fc.oneof(fc.stringMatching(/^[0-9]{1,20}$/), fc.stringMatching(/^[0-9]{0,8}0{1,10}$/), fc.constant(''));

test('an amount is encoded as its shortest text', () => {
  const encode = encoderOf(decimalText);
  fc.assert(
    fc.property(signs, wholes, places, (sign, whole, digits) => {
      const text = `${sign}${whole}${digits === '' ? '' : `.${digits}`}`;
      const value = readDecimal(text);
      assert.equal(encode(text), value === undefined ? text : formatDecimal(value));
    }),
    {
      examples: [
        ['-', '0', ''],
        ['-', '0', '0'],
        ['-', '0', '00'],
        ['', '0', '10'],
      ],
      numRuns: 2_000,
    },
  );
});

test('an instant is encoded as its ISO text', () => {
  const encode = encoderOf(z.object({ at: instant }));
  fc.assert(fc.property(moment, (at) => assert.deepEqual(encode({ at }), { at: at.toISOString() })));
});

test('an answer holds only the fields that the contract names', () => {
  const encode = encoderOf(z.object({ list: z.array(z.object({ shown: z.string() })) }));
  assert.deepEqual(encode({ list: [{ shown: 'a', secret: 'b' }], secret: 'c' }), { list: [{ shown: 'a' }] });
});

test('a stored value outside its present bounds is shown', () => {
  const encode = encoderOf(z.object({ count: z.number().max(3), kind: z.enum(['a']), name: z.string().min(5) }));
  const stored = { count: 9, kind: 'b', name: '' };
  assert.deepEqual(encode(stored), stored);
});

test('a schema without a way back is refused when its operation is mounted', () => {
  const oneWay = z.object({ list: z.array(z.string().transform(Number)) });
  assert.throws(() => encoderOf(oneWay), /no reverse/);
});
