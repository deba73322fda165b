import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { readKillSwitch } from '#api/contract/halts.ts';
import { readDashboard } from '#api/contract/records.ts';
import { listProfiles, readCoin } from '#api/contract/profiles.ts';
import { listTokens } from '#api/contract/tokens.ts';
import { call } from './call.ts';
import { ProblemError } from './problem-error.ts';

/** Replaces `fetch`; returns the addresses of its calls. */
function answerWith(context: TestContext, answer: (address: string, signal: AbortSignal | null) => unknown): string[] {
  const sent: string[] = [];
  context.mock.method(globalThis, 'fetch', async (address: string, { signal }: RequestInit) => {
    sent.push(decodeURIComponent(address));
    const answered = await answer(address, signal ?? null);
    return answered instanceof Response ? answered : Response.json(answered);
  });
  return sent;
}

const read = (body: unknown, status = 200, tag: string | null = null) => ({ status, tag, body });
const problem = { type: 'x', title: 'x', status: 404, detail: 'It is not there.', code: 'not_found' };

test('reads that start together share a request, and each receives its own answer', async (context) => {
  const sent = answerWith(context, () => ({ answers: [read('first'), read(problem, 404), read('third')] }));
  const [first, second, third] = await Promise.allSettled([
    ...[call(readDashboard, {}), call(readKillSwitch, {}), call(listProfiles, {})],
  ]);
  assert.deepEqual(sent, ['/api/reads?paths=/dashboard,/kill-switch,/profiles&tags=,,']);
  assert.deepEqual(first, { status: 'fulfilled', value: 'first' });
  assert.ok(second?.status === 'rejected' && second.reason instanceof ProblemError);
  assert.equal(second.reason.message, 'It is not there.');
  assert.deepEqual(third, { status: 'fulfilled', value: 'third' });
});

test('a read that starts alone, and one that is not shared, are requests of their own', async (context) => {
  const sent = answerWith(context, () => ({}));
  await Promise.all([call(readDashboard, {}), call(listTokens, {})]);
  assert.deepEqual(sent.toSorted(), ['/api/dashboard', '/api/tokens']);
});

test('a shared read sends its tag and keeps the answer that is confirmed', async (context) => {
  const tag = 'W/"one"';
  const sent = answerWith(context, (address) => ({
    answers: address.includes('one') ? [read(null, 304, tag), read('b')] : [read({ a: 1 }, 200, tag), read('b')],
  }));
  const both = () => Promise.all([call(readDashboard, {}), call(readKillSwitch, {})]);
  const [before] = await both();
  const [after] = await both();
  assert.ok(sent[1]?.endsWith(`tags=${tag},`), sent[1]);
  assert.equal(after, before);
});

test('a cancelled read ends at once, and the request when all of its reads are cancelled', async (context) => {
  const signals: (AbortSignal | null)[] = [];
  answerWith(context, (_address, signal) => {
    signals.push(signal);
    return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('cancelled'))));
  });
  const [one, two] = [new AbortController(), new AbortController()];
  const first = call(readDashboard, {}, one.signal);
  const second = call(readKillSwitch, {}, two.signal);
  while (signals.length === 0) await new Promise((resolve) => setImmediate(resolve));
  one.abort();
  await assert.rejects(first, { name: 'AbortError' });
  assert.equal(signals[0]?.aborted, false);
  two.abort();
  await assert.rejects(second, { name: 'AbortError' });
  assert.equal(signals[0]?.aborted, true);
});

test('a refused request refuses each of its reads', async (context) => {
  const refusal = { ...problem, status: 429, code: 'too_many_requests', detail: 'Try again.' };
  answerWith(context, () => Response.json(refusal, { status: 429 }));
  const all = await Promise.allSettled([call(readDashboard, {}), call(readKillSwitch, {})]);
  assert.deepEqual(
    all.map((one) => one.status === 'rejected' && String(one.reason.message)),
    ['Try again.', 'Try again.'],
  );
});

test('more reads than one request takes travel in several', async (context) => {
  const sent = answerWith(context, (address) => {
    const paths = decodeURIComponent(address).split('paths=')[1]?.split('&tags')[0]?.split(',') ?? [];
    return { answers: paths.map((path) => read(path)) };
  });
  const symbols = Array.from({ length: 45 }, (_, n) => `C${n}USDT`);
  const answers = await Promise.all(symbols.map((symbol) => call(readCoin, { params: { id: 'p', symbol } })));
  assert.deepEqual(
    answers,
    symbols.map((symbol) => `/profiles/p/symbols/${symbol}`),
  );
  assert.equal(sent.length, 3);
});
