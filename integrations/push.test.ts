import assert from 'node:assert/strict';
import { createDecipheriv, createECDH, createHmac, createPublicKey, type ECDH, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { isGone, sendToChannel } from './channels.ts';
import { makePushKeys } from './push.ts';

/* A certificate for 127.0.0.1 that only this test trusts. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBkDCCATagAwIBAgIUamAxM8FhwKc+CMwqjYpBgNy5Ot0wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJcHVzaC50ZXN0MCAXDTI2MTEyNTIzMjQyNloYDzIxMjYxMTAx
MjMyNDI2WjAUMRIwEAYDVQQDDAlwdXNoLnRlc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARsC2v0Yxck35xUG+vpQSIOT30Fes2hRIVtgPI4ZQhTk0OAz91ObQsx
U6VjunvLf4bc6vTBbbyG1yx3R++akktvo2QwYjAdBgNVHQ4EFgQU+I9WlfPvRCpr
TQzQQzyvaR0P33UwHwYDVR0jBBgwFoAU+I9WlfPvRCprTQzQQzyvaR0P33UwDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0gAMEUC
IDl0hXbkEVSRLQS0YA4/9ySYGfegOdLQoyFU/y05/hxiAiEAs946B8aCecr4TMn2
k+3PQng1NzBM4F2ie4qa7yELxok=
-----END CERTIFICATE-----`;
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg5iJs7aSAp1aLxwC9
V7E+qOYTZjACogawK2ynh48H9TChRANCAARsC2v0Yxck35xUG+vpQSIOT30Fes2h
RIVtgPI4ZQhTk0OAz91ObQsxU6VjunvLf4bc6vTBbbyG1yx3R++akktv
-----END PRIVATE KEY-----`;

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}
const received: Received[] = [];
let status = 201;
const server = createServer({ cert: CERTIFICATE, key: KEY }, (request, response) => {
  void buffer(request).then((body) => {
    received.push({ headers: request.headers, body });
    response.writeHead(status).end();
  });
});
let endpoint = '';

before(async () => {
  setDefaultCACertificates([...getCACertificates('default'), CERTIFICATE]);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  endpoint = `https://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/push/1`;
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const message = {
  event: 'price-alert',
  title: 'BTCUSDT is above 63000: 63001',
  text: 'é',
  at: '2026-01-01T00:00:00.000Z',
} as const;
const pushKeys = { ...makePushKeys(), subject: 'mailto:operator@example.org' };

const hmac = (key: Buffer, ...parts: readonly (Buffer | string)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHmac('sha256', key)).digest();

/** The content as the browser reads it (RFC 8291), encrypted for its key and its secret. */
function decrypted(body: Buffer, browser: ECDH, auth: Buffer): unknown {
  const salt = body.subarray(0, 16);
  const senderKey = body.subarray(21, 21 + (body[20] ?? 0));
  const sealed = body.subarray(21 + senderKey.length);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), senderKey, Buffer.from([1])]);
  const material = hmac(hmac(auth, browser.computeSecret(senderKey)), info);
  const pseudo = hmac(salt, material);
  const key = hmac(pseudo, 'Content-Encoding: aes128gcm\0\x01').subarray(0, 16);
  const nonce = hmac(pseudo, 'Content-Encoding: nonce\0\x01').subarray(0, 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(sealed.subarray(-16));
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString('utf8'));
}

function openBrowserKeys() {
  const browser = createECDH('prime256v1');
  browser.generateKeys();
  const auth = randomBytes(16);
  const secrets = { endpoint, p256dh: browser.getPublicKey('base64url'), auth: auth.toString('base64url') };
  return { browser, auth, channel: { provider: 'push', settings: {}, secrets } as const };
}

test('a message arrives encrypted for the browser alone', async () => {
  const { browser, auth, channel } = openBrowserKeys();
  assert.deepEqual(await sendToChannel('allow', channel, { message, pushKeys }), { ok: true });
  const last = received.at(-1);
  assert.ok(last !== undefined);
  assert.equal(last.headers['content-encoding'], 'aes128gcm');
  assert.ok(Number(last.headers['ttl']) > 0);
  assert.deepEqual(decrypted(last.body, browser, auth), message);
});

test('a message is signed for the push service with the keys of the installation', async () => {
  const { channel } = openBrowserKeys();
  await sendToChannel('allow', channel, { message, pushKeys });
  const [, token = '', key] = /^vapid t=([^,]+), k=(.+)$/.exec(received.at(-1)?.headers.authorization ?? '') ?? [];
  assert.equal(key, pushKeys.publicKey);
  const [head = '', claims = '', signature = ''] = token.split('.');
  const { aud, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'));
  assert.deepEqual([aud, sub], [new URL(endpoint).origin, pushKeys.subject]);
  const point = Buffer.from(pushKeys.publicKey, 'base64url');
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const signed = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  assert.ok(signed);
});

test('a browser that has unsubscribed is distinguished from a failure', async () => {
  const { channel } = openBrowserKeys();
  for (const [answer, gone] of [
    [410, true],
    [404, true],
    [500, false],
  ] as const) {
    status = answer;
    const delivery = await sendToChannel('allow', channel, { message, pushKeys });
    assert.deepEqual([delivery.ok, isGone('push', delivery)], [false, gone]);
  }
});

test('without keys nothing is sent', async () => {
  const { channel } = openBrowserKeys();
  const before = received.length;
  const delivery = await sendToChannel('allow', channel, { message, pushKeys: undefined });
  assert.deepEqual([delivery.ok, received.length], [false, before]);
});
