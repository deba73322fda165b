import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseStartOptions } from './options.ts';

const folders = { home: '/checkout', cwd: '/somewhere' };

test('without flags everything has its default', () => {
  assert.deepEqual(parseStartOptions([], folders), {
    kind: 'options',
    options: {
      dataDir: '/checkout/.tradewind',
      port: undefined,
      replay: undefined,
      relay: undefined,
      from: undefined,
      speed: undefined,
      seed: undefined,
      openBrowser: true,
    },
  });
});

test('paths are taken from where the operator stands, dates without a time are midnight UTC', () => {
  const argv = '--data-dir data --port 0 --replay ../candles --from 2022-06-01 --speed 0.5 --seed 7 --no-open'.split(
    ' ',
  );
  assert.deepEqual(parseStartOptions(argv, folders), {
    kind: 'options',
    options: {
      dataDir: '/somewhere/data',
      port: 0,
      replay: '/candles',
      relay: undefined,
      from: new Date('2022-06-01T00:00:00Z'),
      speed: 0.5,
      seed: 7,
      openBrowser: false,
    },
  });
});

const problems: [string, RegExp][] = [
  ['--port 65536', /--port is "65536", but must be a port/],
  ['--port 80x', /--port is "80x"/],
  ['--speed 0', /--speed is "0", but must be a number above 0/],
  ['--speed fast', /--speed is "fast"/],
  ['--seed 1.5', /--seed is "1.5"/],
  ['--replay x --from yesterday', /--from is "yesterday", but must be a date/],
  ['--replay x --from 2022-13-01', /--from is "2022-13-01"/],
  ['--replay x --from 2022-06-01T12:00', /--from is "2022-06-01T12:00"/],
  ['--from 2022-06-01', /set --replay DIR too/],
  ['--relay somewhere', /--relay is "somewhere", but must be live or an address/],
  ['--relay live --speed 600', /leave out --speed/],
  ['--frob', /has no flag --frob/],
];

for (const [line, sentence] of problems) {
  test(`start ${line} is a problem with a sentence`, () => {
    const parsed = parseStartOptions(line.split(' '), folders);
    assert(parsed.kind === 'problem');
    assert.match(parsed.sentence, sentence);
  });
}
