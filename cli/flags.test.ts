import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFlags } from './flags.ts';

const kinds = { port: 'text', 'no-open': 'switch' } as const;

test('flags may stand in either form', () => {
  for (const argv of [
    ['--port', '81', '--no-open'],
    ['--no-open', '--port=81'],
  ]) {
    const parsed = parseFlags('start', argv, kinds);
    assert(parsed.kind === 'flags');
    assert.deepEqual(Object.fromEntries(parsed.values), { port: '81', 'no-open': '' });
  }
});

const problems: [string[], RegExp][] = [
  [['--prot', '81'], /has no flag --prot;/],
  [['-p', '81'], /has no flag -p;/],
  [['81'], /takes flags only, not "81"/],
  [['--port'], /--port needs a value/],
  [['--port', '--no-open'], /--port needs a value/],
  [['--no-open=yes'], /--no-open takes no value/],
];

for (const [argv, sentence] of problems) {
  test(`${argv.join(' ')} is a problem with a sentence`, () => {
    const parsed = parseFlags('start', argv, kinds);
    assert(parsed.kind === 'problem');
    assert.match(parsed.sentence, sentence);
  });
}
