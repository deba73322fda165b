import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readJson } from './json.ts';

test('a JSON text is read, and any other text is undefined', () => {
  assert.deepEqual(readJson('{"a":[1,null]}'), { a: [1, null] });
  assert.equal(readJson('null'), null);
  for (const text of ['', '<html>', '{"a":', 'undefined']) assert.equal(readJson(text), undefined, text);
});

test('a reviver receives the text of a number', () => {
  const sources: unknown[] = [];
  readJson('{"a":1.50}', (key, value, context) => {
    if (key === 'a') sources.push(context?.source);
    return value;
  });
  assert.deepEqual(sources, ['1.50']);
});
