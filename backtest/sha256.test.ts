import assert from 'node:assert/strict';
import { test } from 'node:test';
import { portableSha256, sha256 } from './sha256.ts';

for (const [name, hash] of Object.entries({ sha256, portableSha256 })) {
  test(`${name}: the examples of FIPS 180-4`, () => {
    assert.equal(hash(''), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    assert.equal(hash('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    const twoBlocks = 'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq';
    assert.equal(hash(twoBlocks), '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1');
  });

  test(`${name}: a million letters`, () => {
    const million = 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0';
    assert.equal(hash('a'.repeat(1_000_000)), million);
  });
}

test('both agree on what is not ASCII', () => {
  for (const text of ['币安', 'é', '\u{1f600}', 'x\ud800']) assert.equal(sha256(text), portableSha256(text));
});
