import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedLines, diffLines } from './line-diff.ts';

test('a changed line is one that is gone and one that is added, with their numbers', () => {
  assert.deepEqual(diffLines('a\nb\nc', 'a\nx\nc'), [
    { kind: 'same', line: 1, text: 'a' },
    { kind: 'gone', line: 2, text: 'b' },
    { kind: 'added', line: 2, text: 'x' },
    { kind: 'same', line: 3, text: 'c' },
  ]);
});

test('only changed lines and their neighbours are shown', () => {
  const lines = diffLines('1\n2\n3\n4\n5\n6', '1\n2\n3\n4\n5\n6\n7');
  assert.deepEqual(
    changedLines(lines, 1).map(({ text }) => text),
    ['6', '7'],
  );
});

test('equal texts have no changed line', () => {
  assert.deepEqual(changedLines(diffLines('a\nb', 'a\nb')), []);
});
