import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { jsonResponse } from './json-response.ts';

const LONG = JSON.stringify({ rows: Array.from({ length: 200 }, (_, id) => ({ id })) });

const answerTo = (headers: Record<string, string>, { text = LONG, method = 'GET' } = {}): Promise<Response> =>
  jsonResponse(text, {
    request: new Request('http://localhost/api/rows', { method, headers }),
    status: 200,
    headers: new Headers(),
  });

test('a long answer is compressed for a client that accepts gzip', async () => {
  const answer = await answerTo({ 'accept-encoding': 'br, gzip' });
  assert.equal(answer.headers.get('content-encoding'), 'gzip');
  const bytes = Buffer.from(await answer.arrayBuffer());
  assert.ok(bytes.length < LONG.length / 3, `${bytes.length} bytes`);
  assert.equal(gunzipSync(bytes).toString(), LONG);
});

test('a long answer stays plain for a client that does not accept gzip', async () => {
  const answer = await answerTo({});
  assert.equal(answer.headers.get('content-encoding'), null);
  assert.equal(await answer.text(), LONG);
});

test('a short answer stays plain and has no entity tag', async () => {
  const answer = await answerTo({ 'accept-encoding': 'gzip' }, { text: '{}' });
  assert.equal(await answer.text(), '{}');
  assert.deepEqual([answer.headers.get('content-encoding'), answer.headers.get('etag')], [null, null]);
});

test('a client that has the answer gets 304 without a body, and the answer again once it differs', async () => {
  const tag = (await answerTo({})).headers.get('etag') ?? '';
  const same = await answerTo({ 'if-none-match': tag });
  assert.deepEqual([same.status, await same.text()], [304, '']);
  const other = await answerTo({ 'if-none-match': tag }, { text: LONG.replace('199', '200') });
  assert.equal(other.status, 200);
});

test('the answer to a change has no entity tag', async () => {
  assert.equal((await answerTo({}, { method: 'POST' })).headers.get('etag'), null);
});
