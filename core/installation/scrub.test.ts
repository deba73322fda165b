import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { scrub, scrubError } from './scrub.ts';

const SCRUBBED = '[scrubbed]';

const CANARY = 'canary-7f3a';
const QUERY = 'insert into api_keys (secret) values ($1)';

/** Everything a value shows, also what JSON would hide in errors. */
const shown = (value: unknown): string => {
  const seen = new Set<object>();
  const walk = (one: unknown): string => {
    if (typeof one !== 'object' || one === null) return String(one);
    if (seen.has(one)) return '';
    seen.add(one);
    return Object.getOwnPropertyNames(one)
      .map((key) => `${key}=${walk(Reflect.get(one, key))}`)
      .join('\n');
  };
  return walk(value);
};

const hides = (value: unknown): void => assert.ok(!shown(value).includes(CANARY), shown(value));

const queryKey = fc.constantFrom('query', 'sql', 'text');
const listKey = fc.constantFrom('params', 'parameters', 'values', 'bindings', 'args');
const list = fc.array(fc.constantFrom<unknown>(CANARY, { deep: [CANARY] }, 1, null), { minLength: 1 });

/** A carrier of a bind-value list: a plain record, an error with own fields, a text. */
const carrier = fc.oneof(
  fc.tuple(queryKey, listKey, list).map(([query, name, values]) => ({ [query]: QUERY, [name]: values })),
  fc
    .tuple(queryKey, listKey, list)
    .map(([query, name, values]) => Object.assign(new Error('it failed'), { [query]: QUERY, [name]: values })),
  fc.constantFrom(', b', '\nnext line', '\n    at fake (a.js:1:1)').map((rest) => {
    return new Error(`Failed query: ${QUERY}\nparams: 1,${CANARY}${rest},${CANARY}`);
  }),
  fc.constant(`Job broke: Failed query: ${QUERY}\nparams: ${CANARY}\n${CANARY}`),
  fc.constant(
    new Map<string, unknown>([
      ['sql', QUERY],
      ['parameters', [CANARY]],
    ]),
  ),
  fc.constant({ toJSON: () => ({ sql: QUERY, values: [CANARY] }) }),
);

type Wrap = (inner: unknown) => unknown;
const wrap = fc.constantFrom<Wrap>(
  (inner) => ({ inner, other: 1 }),
  (inner) => [1, inner],
  (inner) => new Error('outer', { cause: inner }),
  (inner) => new AggregateError([new Error('sibling'), inner], 'several'),
  (inner) => Object.assign(new Error('outer'), { context: { inner } }),
  (inner) => new Set([inner]),
);

test('a list next to its query never survives, at any depth, through causes and aggregates', () => {
  fc.assert(
    fc.property(carrier, fc.array(wrap, { maxLength: 130 }), (value, wraps) => {
      const nested = wraps.reduce<unknown>((inner, outer) => outer(inner), value);
      hides(scrub(nested));
      hides(scrubError(nested));
    }),
    { numRuns: 500 },
  );
});

test('values without a sibling query pass unchanged', () => {
  const free = fc.dictionary(
    fc.constantFrom('params', 'parameters', 'values', 'bindings', 'items', 'note'),
    fc.oneof(fc.array(fc.string()), fc.integer(), fc.constant('params: a, b'), fc.date({ noInvalidDate: true })),
  );
  fc.assert(fc.property(free, (value) => assert.deepEqual(scrub({ nested: [value] }), { nested: [{ ...value }] })));
});

test('the input is never changed', () => {
  const error = Object.assign(new Error('it failed', { cause: { sql: QUERY, values: [CANARY] } }), {
    query: QUERY,
    params: Object.freeze([CANARY]),
  });
  scrub(error);
  scrubError(error);
  assert.deepEqual(error.params, [CANARY]);
  assert.deepEqual(error.cause, { sql: QUERY, values: [CANARY] });
});

test('an error becomes a record that keeps everything but the list', () => {
  const error = Object.assign(new TypeError('it failed', { cause: new Error('below') }), {
    query: QUERY,
    params: [CANARY],
    code: 42,
  });
  const record = scrub(error);
  assert.partialDeepStrictEqual(record, {
    type: 'TypeError',
    message: 'it failed',
    query: QUERY,
    params: SCRUBBED,
    code: 42,
    cause: { type: 'Error', message: 'below' },
  });
});

test('a failed-query text loses its list and a stack keeps its frames', () => {
  assert.equal(scrub(`Failed query: ${QUERY}\nparams: ${CANARY}`), `Failed query: ${QUERY}\nparams: ${SCRUBBED}`);
  assert.equal(scrub('params: a, b'), 'params: a, b');
  const { message, stack } = scrubError(new Error(`Failed query: ${QUERY}\nparams: ${CANARY}`));
  assert.equal(message, `Failed query: ${QUERY}\nparams: ${SCRUBBED}`);
  assert.match(stack ?? '', /params: \[scrubbed\]\n +at .*scrub\.test\.ts/);
});

test('a stack is scrubbed when the message was replaced after the error was made', () => {
  const error = new Error(`Failed query: ${QUERY}\nparams: ${CANARY}\n${CANARY}`);
  assert.ok(error.stack?.includes(CANARY), 'reading the stack fixes its text');
  error.message = 'Could not save the key.';
  hides(scrub(error));
  assert.match(scrubError(error).stack ?? '', /\[scrubbed\]\n +at /);
});

test("the detail of a database error is scrubbed, other fields' detail is kept", () => {
  const error = Object.assign(new Error('duplicate key value'), {
    severity: 'ERROR',
    code: '23505',
    detail: `Key (email)=(${CANARY}) already exists.`,
    where: `JSON data, line 1: ${CANARY}`,
    constraint: 'users_email_key',
  });
  hides(scrub(error));
  hides(scrub({ ...error }));
  assert.partialDeepStrictEqual(scrub(error), { constraint: 'users_email_key', detail: SCRUBBED });
  assert.deepEqual(scrub({ detail: 'Not enough funds.' }), { detail: 'Not enough funds.' });
});

test('cycles end', () => {
  const error = new Error('round', { cause: undefined });
  error.cause = new AggregateError([error, { query: QUERY, params: [CANARY] }]);
  hides(scrub(error));
  hides(scrubError(error));
  const map = new Map<string, unknown>();
  map
    .set('a', map)
    .set('b', map)
    .set('c', { toJSON: () => [map, map] });
  assert.ok(scrub(map));
});

test('a throwing getter and things that are no errors do no harm', () => {
  const value = {
    get broken(): string {
      throw new Error('no');
    },
    query: QUERY,
    params: [CANARY],
  };
  assert.deepEqual(scrub(value), { broken: undefined, query: QUERY, params: SCRUBBED });
  assert.deepEqual(scrubError('plain text'), { message: 'plain text' });
  assert.deepEqual(scrubError(undefined), { message: 'undefined' });
  assert.deepEqual(scrubError({ code: 1 }), { message: '{"code":1}' });
});

test('an aggregate without words speaks through its errors, and the stack shows the cause', () => {
  assert.equal(scrubError(new AggregateError([new Error('connect ECONNREFUSED')])).message, 'connect ECONNREFUSED');
  assert.match(
    scrubError(new Error('a', { cause: new Error('b') })).stack ?? '',
    /Error: a\n[^]*Caused by: Error: b\n/,
  );
});

test('an API token is hidden in texts, messages and stacks', () => {
  const token = `tw_${'aB3_-'.repeat(9)}abcd`;
  assert.equal(scrub(`sent ${token}.`), 'sent tw_….');
  const { message, stack } = scrubError(new Error(`refused ${token}`));
  assert.equal(`${message} ${stack}`.includes(token), false);
});
