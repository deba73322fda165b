import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type AiProvider, aiProviderSettings, askAi } from './ai-provider.ts';
import { openReceiver, type Receiver } from './test-receiver.ts';

const SECRET = 'CANARY-credential-0001';
let receiver: Receiver;
before(async () => {
  receiver = await openReceiver();
});
after(() => receiver[Symbol.asyncDispose]());

const anthropic = (kind: 'console-key' | 'oauth-token' = 'console-key'): AiProvider => ({
  ...{ provider: 'anthropic', baseUrl: receiver.url, model: 'claude-x', credential: { kind, value: SECRET } },
});
const endpoint = (value: string | null = null): AiProvider => ({
  ...{ provider: 'openai-compatible', baseUrl: `${receiver.url}/v1/`, model: 'm' },
  credential: value === null ? null : { kind: 'endpoint-key', value },
});
const ask = (provider: AiProvider, timeoutMs = 20_000, signal?: AbortSignal) =>
  askAi('allow', provider, { text: 'Why?', mostTokens: 9, timeoutMs, ...(signal && { signal }) });
const answers = (status: number, body: unknown, headers = {}) => {
  receiver.received.length = 0;
  receiver.answer = { status, text: typeof body === 'string' ? body : JSON.stringify(body), headers };
};
const MESSAGE = { model: 'claude-x-1', content: [{ type: 'thinking' }, { type: 'text', text: `So: ${SECRET}` }] };
const COMPLETION = { choices: [{ message: { role: 'assistant', content: 'So.' } }] };

test('both protocols: the question, the credential in its header, the text of the answer without the credential', async () => {
  answers(200, MESSAGE);
  assert.deepEqual(await ask(anthropic()), { ok: true, model: 'claude-x-1', text: 'So: ***' });
  const [key] = receiver.received;
  assert.deepEqual(
    [key?.path, key?.headers['x-api-key'], key?.headers['anthropic-version']],
    ['/v1/messages', SECRET, '2023-06-01'],
  );
  assert.deepEqual(key?.body, { model: 'claude-x', max_tokens: 9, messages: [{ role: 'user', content: 'Why?' }] });
  await ask(anthropic('oauth-token'));
  const token = receiver.received[1]?.headers;
  assert.deepEqual([token?.authorization, token?.['x-api-key']], [`Bearer ${SECRET}`, undefined]);
  answers(200, COMPLETION);
  assert.deepEqual(await ask(endpoint()), { ok: true, model: 'm', text: 'So.' });
  assert.deepEqual(
    [receiver.received[0]?.path, receiver.received[0]?.headers.authorization],
    ['/v1/chat/completions', undefined],
  );
  await ask(endpoint(SECRET));
  assert.equal(receiver.received[1]?.headers.authorization, `Bearer ${SECRET}`);
});

const refused: readonly (readonly [number, unknown, RegExp, Record<string, string>?])[] = [
  [
    401,
    { error: { type: 'authentication_error', message: `invalid x-api-key ${SECRET}` } },
    /answered 401: invalid x-api-key \*\*\*\. Check the credential\.$/,
  ],
  [
    404,
    { error: 'model "m" not found' },
    /answered 404: model "m" not found\. Check the address and the name of the model\.$/,
  ],
  [
    429,
    { error: { message: 'Slow down.' } },
    /answered 429: Slow down\. Wait 17 seconds before the next attempt\. Try again later/,
    { 'retry-after': '17' },
  ],
  [529, 'Overloaded\u0000\n\u001b[31m', /answered 529: Overloaded \[31m\.$/],
  [302, '', /answered 302\.$/, { location: 'http://127.0.0.1:1/' }],
  [200, '<html>hello</html>', /does not use the protocol of .*; it sent: <html>hello<\/html>$/],
  [200, { choices: [], content: 'x', deep: SECRET }, /does not use the protocol/],
  [200, '', /it sent: nothing$/],
  [200, 'x'.repeat(1_000_001), /sent more than 1000000 bytes, which is too long for an answer\.$/],
];
for (const [status, body, words, headers] of refused) {
  test(`an unusable answer becomes a sentence without the credential: ${status} ${words.source.slice(0, 40)}`, async () => {
    for (const provider of [anthropic(), endpoint(SECRET)]) {
      answers(status, body, headers);
      const answer = await ask(provider);
      assert.ok(!answer.ok);
      assert.match(answer.detail, words);
      assert.ok(!/CANARY|\p{Cc}/u.test(answer.detail), answer.detail);
      assert.equal(receiver.received.length, 1, 'the question is sent once, whatever the answer is');
    }
  });
}

test('a missing answer, a closed connection and an absent server are reported; a stopping process does not wait', async () => {
  receiver.answer = null;
  const late = await ask(anthropic(), 50);
  assert.match(late.ok ? '' : late.detail, /no answer within 0\.05 seconds\.$/);
  const stopped = await ask(anthropic(), 60_000, AbortSignal.abort());
  assert.match(stopped.ok ? '' : stopped.detail, /the process stops\.$/);
  const nobody = await ask({ ...endpoint(), baseUrl: 'http://127.0.0.1:9' });
  assert.match(nobody.ok ? '' : nobody.detail, /^127\.0\.0\.1:9 could not be reached: [A-Z]+/);
});

test('an address is one that a credential may be sent to; a credential fits into a header', () => {
  const problems = (baseUrl: string, value = SECRET): string[] => {
    const credential = { kind: 'endpoint-key', value };
    const parsed = aiProviderSettings.safeParse({ provider: 'openai-compatible', baseUrl, model: 'm', credential });
    return parsed.success ? [] : parsed.error.issues.map(({ message }) => message);
  };
  for (const fine of [
    'https://api.example.org/v1',
    'http://localhost:11434/v1',
    'http://192.168.1.5',
    'http://ollama:11434',
    'http://[::1]:1',
    'http://box.local',
    'https://8.8.8.8',
  ])
    assert.deepEqual(problems(fine), [], fine);
  const bad: [string, RegExp][] = [
    ['nothing', /^is not an address/],
    ['file:///etc/passwd', /https:\/\/ or http/],
    ['https://me:secret@example.org', /name or a password/],
    ['https://example.org/?key=1', /without \?/],
    ['http://example.org/v1', /others can read the credential/],
    ['http://8.8.8.8', /others can read the credential/],
    ['http://169.254.169.254/latest', /machine that hosts/],
    ['http://0xa9fea9fe/', /machine that hosts/],
    ['https://[::ffff:169.254.169.254]/', /machine that hosts/],
    ['http://[fe80::1]/', /machine that hosts/],
    ['http://metadata.google.internal./x', /machine that hosts/],
  ];
  for (const [address, words] of bad) assert.match(problems(address).join(), words, address);
  for (const value of ['', 'a b', `${SECRET}\r\nx: y`, 'schlüssel']) {
    const [words] = problems('https://example.org', value);
    assert.equal(words, 'holds a space or a character that no credential has');
  }
});
