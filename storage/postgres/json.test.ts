import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { jsonText } from './json.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';

let test: TestDatabase;
before(async () => {
  test = await openTestDatabase();
});
after(() => test[Symbol.asyncDispose]());

const stored = async (value: unknown): Promise<unknown> => {
  const { rows } = await test.database.pool.query<{ value: unknown }>('select $1::jsonb as value', [jsonText(value)]);
  return rows[0]?.value;
};

describe('jsonText', () => {
  it('replaces what jsonb refuses, in keys and values, and leaves the rest alone', async () => {
    assert.deepEqual(await stored({ 'a\0': ['\ud800', { b: '\udc00x' }] }), {
      'a\ufffd': ['\ufffd', { b: '\ufffdx' }],
    });
    const fine = { text: '\\u0000 is spelt out, 😀 is whole', list: [1, null, true], empty: {} };
    assert.deepEqual(await stored(fine), fine);
    assert.equal(await stored(undefined), null);
  });

  it('stores any JSON value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ stringUnit: 'binary' }), async (value) => {
        await stored(value);
      }),
      { numRuns: 100 },
    );
  });
});
