import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ENTRIES, jsonPieces } from './json-pieces.ts';

const fields = fc.dictionary(fc.string(), fc.option(fc.jsonValue(), { nil: undefined }), { noNullPrototype: true });

test('the pieces of a value together are its text as JSON', () => {
  fc.assert(
    fc.property(fields, (value) => assert.equal([...jsonPieces(value)].join(''), JSON.stringify(value, null, 2))),
  );
});

test('a list of more entries than one piece holds has the same text in several pieces', () => {
  for (const count of [ENTRIES, ENTRIES + 1, 2 * ENTRIES, 2 * ENTRIES + 1]) {
    const value = { before: 1, list: Array.from({ length: count }, (_, n) => ({ n, text: 'a\nb' })), after: [] };
    assert.equal([...jsonPieces(value)].join(''), JSON.stringify(value, null, 2));
  }
});
