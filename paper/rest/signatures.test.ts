import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { parseAccounts } from '#paper/exchange/accounts.ts';
import { isSignedBy, signedParams, signedText } from './signatures.ts';

/** The public example of the exchange's documentation. */
const API_KEY = 'vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A';
const SECRET = 'NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j';
const [example] = parseAccounts([{ name: 'example', apiKey: API_KEY, secret: SECRET }]);
if (example === undefined) throw new Error('the example account parses');

const TAIL = 'side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1&recvWindow=5000&timestamp=1499827319559';
const QUERY = `symbol=LTCBTC&${TAIL}`;
const QUERY_SIGNATURE = 'c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71';

for (const { name, text, signature } of [
  { name: 'REST', text: signedText(QUERY, ''), signature: QUERY_SIGNATURE },
  {
    name: 'REST with a percent-encoded symbol',
    text: signedText(`symbol=%EF%BC%91%EF%BC%92%EF%BC%93%EF%BC%94%EF%BC%95%EF%BC%96&${TAIL}`, ''),
    signature: 'e1353ec6b14d888f1164ae9af8228a3dbd508bc82eb867db8ab6046442f33ef3',
  },
  {
    name: 'REST with the whole request in the body',
    text: signedText('', `${QUERY}&signature=ff`),
    signature: QUERY_SIGNATURE,
  },
  {
    name: 'WebSocket API',
    text: signedParams(
      new Map([
        ['timestamp', '1645423376532'],
        ['symbol', 'BTCUSDT'],
        ['side', 'SELL'],
        ['type', 'LIMIT'],
        ['timeInForce', 'GTC'],
        ['quantity', '0.01000000'],
        ['price', '52000.00'],
        ['recvWindow', '100'],
        ['apiKey', API_KEY],
        ['signature', 'ignored'],
      ]),
    ),
    signature: 'aa1b5712c094bc4e57c05a1a5c1fd8d88dcd628338ea863fec7b88e59fe2db24',
  },
]) {
  test(`the documented HMAC vector verifies: ${name}`, () => {
    assert.ok(isSignedBy(example, text, signature));
    assert.ok(isSignedBy(example, text, signature.toUpperCase()));
    assert.ok(!isSignedBy(example, `${text} `, signature));
    assert.ok(!isSignedBy(example, text, `0${signature.slice(1)}`));
  });
}

test('query and body are joined without a separator, and only the signature pair is left out', () => {
  assert.equal(signedText('a=1&signature=x&b=2', 'c=3'), 'a=1&b=2c=3');
  assert.equal(signedText('a=1', 'signature=x'), 'a=1');
  assert.equal(signedText('a=1&mysignature=y', ''), 'a=1&mysignature=y');
  const [first, second] = ['symbol=LTCBTC&side=BUY', 'quantity=1&timestamp=1'];
  const signature = createHmac('sha256', SECRET).update(`${first}${second}`).digest('hex');
  assert.ok(isSignedBy(example, signedText(first, `${second}&signature=${signature}`), signature));
});

for (const kind of ['ed25519', 'rsa'] as const) {
  test(`a ${kind} key verifies its own signatures only`, () => {
    const pair =
      kind === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('rsa', { modulusLength: 2048 });
    const publicKeyPem = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const [account] = parseAccounts([{ name: kind, apiKey: 'key', publicKeyPem }]);
    assert.ok(account !== undefined);
    const signature = sign(kind === 'rsa' ? 'sha256' : null, Buffer.from(QUERY), pair.privateKey).toString('base64');
    assert.ok(isSignedBy(account, QUERY, signature));
    assert.ok(!isSignedBy(account, `${QUERY}0`, signature));
    assert.ok(!isSignedBy(account, QUERY, ''));
  });
}
