import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text as bodyOf } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { NOTIFIER_NAMES, type NotifierName } from '#core/installation/notify.ts';
import { askAi } from './ai-provider.ts';
import { sendNotification } from './notifiers.ts';
import { shownText } from './redact.ts';

const percent = (text: string): string =>
  Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const json = (text: string): string => JSON.stringify(text).slice(1, -1);

/** How a server may write what it was sent. */
const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'for an address': encodeURIComponent,
  'every character for an address': percent,
  'for JSON': json,
  'for JSON inside JSON': (text) => json(json(text)),
  'for JSON with slashes escaped': (text) => json(text).replaceAll('/', '\\/'),
  'as code points': (text) =>
    Array.from(text, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  'for HTML': (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;'),
  'as numbers of HTML': (text) => Array.from(text, (sign) => `&#${sign.charCodeAt(0)};`).join(''),
  'in base64': (text) => Buffer.from(text).toString('base64'),
  'in base64 for addresses': (text) => Buffer.from(text).toString('base64url'),
  'in base64 over lines': (text) => Buffer.from(text).toString('base64').replaceAll(/.{20}/g, '$&\n'),
  'in hexadecimal': (text) => Buffer.from(text).toString('hex'),
  'in capitals': (text) => text.toUpperCase(),
  'percent inside JSON': (text) => json(percent(json(text))),
  'cut in the middle': (text) => text.slice(0, Math.ceil(text.length * 0.8)),
};
let written: (text: string) => string = (text) => text;
let url: string;

/** Answers 404 with everything that it was sent, as servers do whose route is wrong. */
const server = createServer((request, response) => {
  void echo(request).then((words) => response.writeHead(404).end(words));
});
async function echo(request: IncomingMessage): Promise<string> {
  const path = request.url ?? '';
  const parts = [
    path,
    ...path.split(/[/?&=]/),
    request.headers.authorization ?? '',
    request.headers['x-api-key'] ?? '',
  ];
  const body = await bodyOf(request);
  return [...parts.filter((part) => part.length > 3).map((part) => `no: ${written(String(part))}`), body].join(' ');
}
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const SECRETS: Readonly<Record<NotifierName, (at: string) => Record<string, Record<string, string>>>> = {
  slack: (at) => ({ secrets: { webhookUrl: `${at}/services/T0CANARY/B0CANARY/CANARYslackCANARY` } }),
  discord: (at) => ({ secrets: { webhookUrl: `${at}/api/webhooks/1/CANARY-discord_token-CANARY` } }),
  telegram: (at) => ({
    settings: { chatId: '42', serverUrl: at },
    secrets: { botToken: '123456:CANARY-telegram_bot-CANARY' },
  }),
  ntfy: (at) => ({ settings: { topic: 't', serverUrl: at }, secrets: { token: 'CANARY"ntfy<&>token\\CANARY' } }),
  webhook: (at) => ({ secrets: { url: `${at}/hook/CANARYhook%20CANARY?token=CANARYq&k=CANARY%2Fvalue` } }),
};
const message = { event: 'test', title: 'A title', text: 'Some text', at: '2026-01-01T00:00:00Z' } as const;

/** The secret itself, or enough of it in any of the encodings to be undone. */
function leaks(detail: string): boolean {
  const plain = (text: string): string => text.toLowerCase();
  return Object.values(ENCODINGS).some((encode) =>
    plain(detail).includes(plain(encode('CANARY')).replace(/=+\n?$/, '')),
  );
}

for (const provider of NOTIFIER_NAMES) {
  for (const [name, encode] of Object.entries(ENCODINGS)) {
    test(`no part of the secret of ${provider} comes back from a server that repeats it ${name}`, async () => {
      written = encode;
      const notifier = { provider, settings: {}, secrets: {}, ...SECRETS[provider](url) };
      const delivery = await sendNotification('allow', notifier, message);
      assert.ok(!delivery.ok);
      assert.match(delivery.detail, /answered 404/);
      assert.ok(!leaks(delivery.detail), delivery.detail);
    });
  }
}

for (const [name, encode] of Object.entries(ENCODINGS)) {
  test(`no part of an AI credential comes back from a server that repeats it ${name}`, async () => {
    written = encode;
    const credential = { kind: 'endpoint-key', value: 'sk-CANARY-credential-CANARY' } as const;
    const provider = { provider: 'openai-compatible', baseUrl: url, model: 'm', credential } as const;
    const answer = await askAi('allow', provider, { text: 'Why?', mostTokens: 9, timeoutMs: 20_000 });
    assert.ok(!answer.ok && !leaks(answer.detail), JSON.stringify(answer));
  });
}

test('what the other side says without a secret is shown, short and on one line', () => {
  const secrets = ['https://hooks.slack.com/services/T0/B0/abcdefghijkl'];
  assert.equal(shownText('invalid_token\n{"ok":false}', secrets), 'invalid_token {"ok":false}');
  assert.equal(shownText('no service at hooks.slack.com', secrets), 'no service at hooks.slack.com');
  assert.equal(shownText('x'.repeat(5000), secrets).length, 200);
});
