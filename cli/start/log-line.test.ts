import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLogLine } from './log-line.ts';

test('records are shown by their message, and from level warn on they are trouble', () => {
  assert.deepEqual(readLogLine('{"level":"info","msg":"All is well"}'), {
    kind: 'record',
    trouble: false,
    text: 'All is well',
  });
  assert.deepEqual(readLogLine('{"level":"warn","msg":"Hm","err":{"message":"no answer"}}'), {
    kind: 'record',
    trouble: true,
    text: 'Hm (no answer)',
  });
  assert.deepEqual(readLogLine('{"level":"fatal","msg":"no answer","err":{"message":"no answer"}}'), {
    kind: 'record',
    trouble: true,
    text: 'no answer',
  });
});

test('anything else is text, and long text is cut', () => {
  for (const line of ['Error: x', '{"ready":true}', '{"level":', '']) {
    assert.deepEqual(readLogLine(line), { kind: 'text', text: line });
  }
  assert.equal(readLogLine('x'.repeat(1000)).text.length, 401);
});

test('a line of trouble holds no control character', () => {
  const line = JSON.stringify({ level: 'warn', msg: 'refused \u001b[31mred\u0007', err: { message: 'a\r\nfake' } });
  assert.doesNotMatch(readLogLine(line).text, /\p{Cc}/u);
  assert.doesNotMatch(readLogLine('bare \u001b[2J text').text, /\p{Cc}/u);
});
