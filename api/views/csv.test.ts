import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvLine } from './csv.ts';

test('cells are quoted and quotes doubled', () => {
  assert.equal(csvLine(['a', 'say "hi"', 'x,y', 'two\nlines', '']), '"a","say ""hi""","x,y","two\nlines",""\r\n');
});

test('text that a spreadsheet would run as a formula is defused', () => {
  for (const start of ['=', '+', '-', '@', '\t', '\r']) {
    assert.equal(csvLine([`${start}SUM(A1)`]), `"'${start}SUM(A1)"\r\n`);
  }
});

test('a number below zero stays a number', () => {
  assert.equal(csvLine(['-1.5', '-1-1']), `"-1.5","'-1-1"\r\n`);
});
