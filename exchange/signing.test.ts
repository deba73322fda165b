import assert from 'node:assert/strict';
import { generateKeyPairSync, verify } from 'node:crypto';
import test from 'node:test';
import { inspect } from 'node:util';
import { createSigner, encodeQuery, KeyFormatError, redact } from './signing.ts';

// The public example key of the exchange's documentation.
const apiKey = 'vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A';
const secret = 'NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j';

/** Digits as the exchange's documentation spells its example outside ASCII. */
const FULL_WIDTH = '\uFF11\uFF12\uFF13\uFF14\uFF15\uFF16';

const LIMIT = {
  side: 'BUY',
  type: 'LIMIT',
  timeInForce: 'GTC',
  quantity: 1,
  price: '0.1',
  recvWindow: 5000,
  timestamp: 1499827319559,
};

test('REST vectors of the documentation', () => {
  const cases = [
    ['LTCBTC', 'c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71'],
    [FULL_WIDTH, 'e1353ec6b14d888f1164ae9af8228a3dbd508bc82eb867db8ab6046442f33ef3'],
  ] as const;
  for (const [symbol, signature] of cases) {
    const signed = createSigner({ apiKey, secret }).signQuery({ symbol, ...LIMIT });
    assert.ok(signed.query.endsWith(`&signature=${signature}`), signed.query);
    assert.deepEqual(signed.headers, { 'x-mbx-apikey': apiKey });
  }
});

test('a symbol outside ASCII is percent-encoded before it is signed', () => {
  assert.equal(encodeQuery({ symbol: FULL_WIDTH }), 'symbol=%EF%BC%91%EF%BC%92%EF%BC%93%EF%BC%94%EF%BC%95%EF%BC%96');
  assert.equal(encodeQuery({ a: 'x y&z', b: undefined, c: 0 }), 'a=x%20y%26z&c=0');
});

test('WebSocket vector of the documentation', () => {
  const params = {
    symbol: 'BTCUSDT',
    side: 'SELL',
    type: 'LIMIT',
    timeInForce: 'GTC',
    quantity: '0.01000000',
    price: '52000.00',
    recvWindow: 100,
    timestamp: 1645423376532,
  };
  const signature = 'aa1b5712c094bc4e57c05a1a5c1fd8d88dcd628338ea863fec7b88e59fe2db24';
  assert.deepEqual(createSigner({ apiKey, secret }).signMessage(params), { ...params, apiKey, signature });
});

test('Ed25519 and RSA keys sign what their public keys verify', () => {
  const pairs = [
    ['ed25519', generateKeyPairSync('ed25519'), null],
    ['rsa', generateKeyPairSync('rsa', { modulusLength: 2048 }), 'sha256'],
  ] as const;
  for (const [kind, pair, digest] of pairs) {
    const pem = String(pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    // Keys pasted from one line of a settings file carry \n as two characters.
    for (const text of [pem, pem.replaceAll('\n', '\\n')]) {
      const signer = createSigner({ apiKey, secret: text });
      assert.equal(signer.kind, kind);
      const { query } = signer.signQuery({ symbol: 'BTCUSDT', timestamp: 1 });
      const [payload, encoded] = query.split('&signature=');
      const signature = Buffer.from(decodeURIComponent(encoded ?? ''), 'base64');
      assert.ok(verify(digest, Buffer.from(payload ?? ''), pair.publicKey, signature));
      assert.ok(!/[+/=]/.test(encoded ?? ''), 'base64 is percent-encoded in a query');
    }
  }
});

test('a key that cannot sign is refused without being quoted', () => {
  const broken = '-----BEGIN PRIVATE KEY-----\nCANARY\n-----END PRIVATE KEY-----';
  const ec = String(
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
  );
  const cases = [
    { apiKey: '', secret },
    { apiKey: 'CAN ARY', secret },
    { apiKey: 'CANARY\nX', secret },
    { apiKey, secret: ' ' },
    { apiKey, secret: broken },
    { apiKey, secret: ec },
  ];
  for (const credentials of cases) {
    assert.throws(
      () => createSigner(credentials),
      (error) => error instanceof KeyFormatError && !/CAN ?ARY|BEGIN/.test(inspect(error)),
    );
  }
});

test('printing a signer shows neither key nor secret', () => {
  const shown = inspect(createSigner({ apiKey, secret }), { depth: null, showHidden: true });
  assert.ok(!shown.includes(apiKey) && !shown.includes(secret));
});

test('redacting covers raw and percent-encoded text', () => {
  assert.equal(redact('a+b= and a%2Bb%3D', ['a+b=', '']), '[redacted] and [redacted]');
});
