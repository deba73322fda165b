import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog, type Log } from './log.ts';

const CANARY = 'canary-51d0';
const QUERY = 'update api_keys set secret = $1';

function record(write: (log: Log) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  write(createLog({ name: 'worker', level: 'debug', sha: 'abc' }, { write: (line) => void lines.push(line) }));
  return lines.map((line) => JSON.parse(line));
}

const failedQuery = (): Error =>
  Object.assign(new Error(`Failed query: ${QUERY}\nparams: ${CANARY}`), { query: QUERY, params: [CANARY] });

test('a line carries time, level in words, name, sha, event and message', () => {
  const [line] = record((log) => log.info({ event: 'worker_started', slot: 1 }, 'The worker has started.'));
  assert.partialDeepStrictEqual(line, {
    level: 'info',
    name: 'worker',
    sha: 'abc',
    event: 'worker_started',
    slot: 1,
    msg: 'The worker has started.',
  });
  assert.match(String(line?.['time']), /^\d{4}-\d\d-\d\dT/);
});

test('an error shows as type, message, stack and cause', () => {
  const [alone, beside] = record((log) => {
    log.error(new TypeError('it failed', { cause: new Error('below') }));
    log.error({ err: new Error('it failed') }, 'Saving failed.');
  });
  assert.partialDeepStrictEqual(alone, {
    msg: 'it failed',
    err: { type: 'TypeError', message: 'it failed', cause: { message: 'below' } },
  });
  assert.match(JSON.stringify(alone), /log\.test\.ts/);
  assert.partialDeepStrictEqual(beside, { msg: 'Saving failed.', err: { message: 'it failed' } });
});

const writers: Record<string, (log: Log) => void> = {
  'an error alone': (log) => log.error(failedQuery()),
  'an error with a text': (log) => log.error(failedQuery(), 'Saving failed.'),
  'an error as a field, without a text': (log) => log.error({ err: failedQuery() }),
  'an error as a field': (log) => log.error({ err: failedQuery(), event: 'save_failed' }, 'Saving failed.'),
  'an error under another name, deep': (log) => log.warn({ jobs: [{ last: { cause: failedQuery() } }] }),
  'a chain of causes': (log) => log.error(new Error('outer', { cause: new Error('middle', { cause: failedQuery() }) })),
  'an aggregate': (log) => log.error({ err: new AggregateError([failedQuery()], 'several') }),
  'a plain record': (log) => log.info({ sql: QUERY, parameters: [CANARY] }),
  'a text': (log) => log.info(failedQuery().message),
  'values put into a text': (log) =>
    log.info('failed: %s %j %o', failedQuery(), { query: QUERY, params: [CANARY] }, failedQuery()),
  'the bindings of a child': (log) => log.child({ last: failedQuery() }).info('Child.'),
  'a child of a child': (log) =>
    log
      .child({ a: 1 })
      .child({ query: QUERY, values: [CANARY] })
      .info('Child.'),
};

for (const [name, write] of Object.entries(writers)) {
  test(`no bind value reaches the stream: ${name}`, () => {
    const lines = JSON.stringify(record(write));
    assert.ok(lines.length > 50, 'a line was written');
    assert.ok(!lines.includes(CANARY), lines);
    assert.match(lines, /\[scrubbed\]/);
  });
}

test('lists without a query stay', () => {
  const [line] = record((log) => log.info({ params: ['a', 'b'] }, 'kept'));
  assert.deepEqual(line?.['params'], ['a', 'b']);
});
