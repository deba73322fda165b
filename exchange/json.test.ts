import assert from 'node:assert/strict';
import test from 'node:test';
import { readExactJson } from './json.ts';

test('integers beyond 2^53 come as text, all else as usual', () => {
  assert.deepEqual(
    readExactJson('{"a":9007199254740993,"b":[-18446744073709551615],"c":9007199254740991,"d":1.5,"e":"1"}'),
    {
      a: '9007199254740993',
      b: ['-18446744073709551615'],
      c: 9007199254740991,
      d: 1.5,
      e: '1',
    },
  );
});

test('long digits inside texts and fractions stay what they are', () => {
  assert.deepEqual(readExactJson('["12345678901234567890",0.12345678901234567890]'), [
    '12345678901234567890',
    0.12345678901234568,
  ]);
});

test('text that is not JSON is undefined', () => {
  assert.equal(readExactJson('<html>'), undefined);
  assert.equal(readExactJson('<12345678901234567890>'), undefined);
});
