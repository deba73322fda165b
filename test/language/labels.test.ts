// The glossary of labels, labels.tsv, against the code. `node test/language/label-uses.ts` prints where each is used.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leftoversOf, readCode, readLabels, usesOf } from './labels.ts';

const labels = readLabels();
const files = readCode();

/** Former labels that are right at another place. */
const RIGHT_ELSEWHERE: Readonly<Record<string, string>> = {
  'Open positions': 'the name of a limit',
  'kept by the worker': 'follows the name of the stop',
  ', kept by the worker': 'follows the name of the stop',
  'Average cost': 'the cost method of the tax report',
};

test('every present label is used', () => {
  const unused = labels.flatMap(({ page, present }) =>
    present.filter((label) => usesOf(label, files)?.length === 0).map((label) => `${page}: ${label}`),
  );
  assert.deepEqual(unused, []);
});

test('a row without a present label says why', () => {
  assert.deepEqual(
    labels.filter(({ present, note }) => present.length === 0 && note === '').map(({ former }) => former.join(' / ')),
    [],
  );
});

test('no page shows a former label of two or more words', () => {
  const isNamed = (label: string): boolean => / \w/.test(label) && !/[{(]/.test(label);
  const left = labels.flatMap(({ former, present }) =>
    former
      .filter((label) => isNamed(label) && !present.includes(label) && RIGHT_ELSEWHERE[label] === undefined)
      .flatMap((label) => leftoversOf(label, files).map((path) => `${path}: ${label}`)),
  );
  assert.deepEqual(left, []);
});

test('an exception is still needed', () => {
  const unneeded = Object.keys(RIGHT_ELSEWHERE).filter((label) => leftoversOf(label, files).length === 0);
  assert.deepEqual(unneeded, []);
});
