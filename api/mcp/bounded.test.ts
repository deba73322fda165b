import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { boundedText, MAX_ANSWER_CHARS } from './bounded.ts';

test('a short answer is its JSON', () => {
  assert.equal(boundedText({ a: [1, 2] }), '{"a":[1,2]}');
});

test('a long list is shortened, and what is left out is counted', () => {
  const rows = Array.from({ length: 1000 }, (_, i) => ({ id: i, text: 'x'.repeat(100) }));
  const { answer, leftOut } = JSON.parse(boundedText({ rows, total: 1000 }));
  assert.equal(answer.total, 1000);
  assert.equal(answer.rows.length + leftOut.rows, 1000);
});

test('hidden characters are removed', () => {
  assert.equal(boundedText({ name: 'a\u001b[31m\u200bb\nc' }), '{"name":"a[31mb\\nc"}');
});

test('no answer is longer than the bound', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 1, max: 400 }), (value, times) => {
      const text = boundedText({ list: Array.from({ length: times }, () => value), one: 'y'.repeat(times * 100) });
      assert.ok(text.length <= MAX_ANSWER_CHARS);
      JSON.parse(text);
    }),
    { numRuns: 50 },
  );
});
