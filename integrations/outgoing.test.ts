import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { after, before, test } from 'node:test';
import { guardedLookup, isMetadata, isPrivate, refusalOf } from './addresses.ts';
import { askAi } from './ai-provider.ts';
import { sendNotification } from './notifiers.ts';
import { openReceiver, type Receiver } from './test-receiver.ts';

let receiver: Receiver;
before(async () => {
  receiver = await openReceiver();
});
after(() => receiver[Symbol.asyncDispose]());

const PRIVATE = [
  ...['127.0.0.1', '127.9.9.9', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '0.0.0.0'],
  ...['224.0.0.1', '255.255.255.255', '::1', '::', 'fd12::1', 'fc00::1', 'fec0::1', 'ff02::1', '64:ff9b:1::1'],
  ...[
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:c0a8:101',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a00:1',
    '2002:7f00:1::',
  ],
];
const METADATA = [
  ...['169.254.169.254', '169.254.0.1', '168.63.129.16', '192.0.0.192', '100.100.100.200', 'fe80::1'],
  ...['fd00:ec2::254', '::ffff:169.254.169.254', '64:ff9b::169.254.169.254'],
];
const PUBLIC = [
  '8.8.8.8',
  '1.1.1.1',
  '172.32.0.1',
  '100.128.0.1',
  '2606:4700::1111',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
];

test('private addresses are refused unless they are allowed, those of metadata always, public ones never', () => {
  for (const address of PRIVATE) {
    assert.ok(isPrivate(address), address);
    assert.match(refusalOf(address, 'refuse') ?? '', /private address; set OUTGOING_PRIVATE=allow/, address);
    assert.equal(refusalOf(address, 'allow'), undefined, address);
  }
  for (const address of METADATA) {
    assert.ok(isMetadata(address), address);
    for (const allowed of ['allow', 'refuse'] as const)
      assert.match(refusalOf(address, allowed) ?? '', /hosts this one/, address);
  }
  for (const address of PUBLIC) assert.equal(refusalOf(address, 'refuse'), undefined, address);
});

const message = { event: 'test', title: 'A title', text: '', at: '2026-01-01T00:00:00Z' } as const;
const webhook = (url: string) => ({ provider: 'webhook', settings: {}, secrets: { url } }) as const;

test('nothing reaches a receiver at a private address, written as a number or behind a name', async () => {
  const { port } = new URL(receiver.url);
  const hosts = ['127.0.0.1', '2130706433', '0x7f.1', 'localhost', '[::ffff:127.0.0.1]', '0.0.0.0'];
  for (const host of hosts) {
    const delivery = await sendNotification('refuse', webhook(`http://${host}:${port}/hook`), message);
    assert.match(delivery.ok ? 'sent' : delivery.detail, /^nothing was sent to .* is a private address/, host);
    const provider = {
      provider: 'openai-compatible',
      baseUrl: `http://${host}:${port}`,
      model: 'm',
      credential: null,
    } as const;
    const answer = await askAi('refuse', provider, { text: 'Why?', mostTokens: 9, timeoutMs: 5_000 });
    assert.match(answer.ok ? 'sent' : answer.detail, /^nothing was sent to .* is a private address/, host);
  }
  assert.deepEqual(receiver.received, []);
  for (const host of ['127.0.0.1', 'localhost']) {
    const delivery = await sendNotification('allow', webhook(`http://${host}:${port}/hook`), message);
    assert.deepEqual(delivery, { ok: true }, host);
  }
});

/** A name server that answers with the next list each time. */
const names =
  (...answers: LookupAddress[][]): Parameters<typeof guardedLookup>[1] =>
  (_name, _options, callback) =>
    callback(null, answers.shift() ?? []);
const v4 = (address: string): LookupAddress => ({ address, family: 4 });

test('a name is judged at each connection, by every address that it has', () => {
  const lookup = guardedLookup('refuse', names([v4('8.8.8.8')], [v4('127.0.0.1')], [v4('8.8.8.8'), v4('10.0.0.1')]));
  const seen: unknown[] = [];
  for (let time = 0; time < 3; time++)
    lookup('receiver.example', { all: true }, (error, found) => seen.push(error?.message ?? found));
  assert.deepEqual(seen, [
    [v4('8.8.8.8')],
    '127.0.0.1 is a private address; set OUTGOING_PRIVATE=allow to send there',
    '10.0.0.1 is a private address; set OUTGOING_PRIVATE=allow to send there',
  ]);
});
